// CRC-32 (ISO-HDLC, polynomial 04C11DB7 reflected), the checksum of zip members and of gzip.
//
// zlib sums blocks of 1 MiB in parallel; the value does not depend on the blocks. Cost: about 1 to 2.5 GB/s a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace leeway {

// Of what `so_far` is the checksum of, followed by `bytes`; 0 is the checksum of nothing.
[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 0);

}  // namespace leeway
