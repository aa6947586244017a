#include "leeway/core/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>

#include "leeway/core/error.h"
#include "leeway/core/removal.h"
#include "tests/core/files.h"

namespace leeway::file_test {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(MapFile, SeesTheBytes) {
  const TemporaryFolder folder;
  const auto file = map_file(write_bytes(folder / "a", "hello"));
  fs::remove(folder / "a");  // the mapping outlives the name
  EXPECT_EQ(file.text(), "hello");
  EXPECT_TRUE(map_file(write_bytes(folder / "empty", "")).bytes.empty());
}

TEST(MapFile, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "missing.npy").string(), directory = folder.path().string();
  EXPECT_REFUSED(map_file(missing), ": expected a readable file, found no such file");
  EXPECT_REFUSED(map_file(directory), ": expected a regular file, found a directory");
  EXPECT_REFUSED(map_file("/dev/null"), "/dev/null: expected a regular file, found a pipe or device");
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);  // nobody writes it: must not wait
  EXPECT_REFUSED(map_file(pipe), ": expected a regular file, found a pipe or device");
}

TEST(AtomicFile, AppearsWhole) {
  const TemporaryFolder folder;
  const auto path = write_bytes(folder / "a", "old");
  {
    AtomicFile file(path);
    file.write("new ");
    file.write(std::string(200'000, 'x'));
    file.write("end");
    EXPECT_EQ(read_bytes(path), "old");
    EXPECT_EQ(files_in(folder.path()), 2u);
    file.commit();
    EXPECT_THROW(file.commit(), std::logic_error);
    EXPECT_THROW(file.write("more"), std::logic_error);
  }
  EXPECT_EQ(read_bytes(path), "new " + std::string(200'000, 'x') + "end");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, LeavesNothingWhereTheCheckFails) {
  const TemporaryFolder folder;
  set_commit_check([] { throw Error("an input changed"); });
  EXPECT_THROW(write_text(folder / "a", "x"), Error);
  set_commit_check({});
  EXPECT_EQ(files_in(folder.path()), 0u);
}

TEST(Removal, StaysInsideTheFolder) {
  const TemporaryFolder folder;
  const auto made = folder / "made", victim = folder / "victim";
  for (const auto& path : {made / "work/unit", victim / "work", made / "kept"}) {
    fs::create_directories(path);
    write_bytes(path / "file", "precious");
  }
  fs::create_directory_symlink(victim, made / "shard");
  for (const fs::path& path :
       {made, made / "work/../../victim", made / "work/x/../../../victim", victim, fs::path(),
        made / "shard/work", made / ".", folder / "made2", fs::path("/")}) {
    EXPECT_THROW(remove_made(made, path), Error) << path;
    discard_made(made, path);
  }
  EXPECT_EQ(read_bytes(victim / "work/file"), "precious");
  remove_made(made, made / "work");
  remove_made(made, made / "shard");
  remove_made(made, made / "missing/a");
  EXPECT_EQ(files_in(made), 1u);
  EXPECT_TRUE(fs::exists(victim / "work"));
  const auto before = fs::current_path();
  fs::current_path(made);
  remove_made("", "kept/file");  // the folder of a path without one
  EXPECT_THROW(remove_made("", "../victim"), Error);
  fs::current_path(before);
  EXPECT_TRUE(fs::is_empty(made / "kept"));
}

TEST(AtomicFile, AKillLeavesTheOldFileAndATemporaryOne) {
  const TemporaryFolder folder;
  const auto path = write_bytes(folder / "a", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(path);
    file.write(std::string(200'000, 'x'));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(files_in(folder.path()), 2u);
  { const AtomicFile next(path); }
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, OfTwoWritersTheLastWinsWhole) {
  const TemporaryFolder folder;
  const auto path = folder / "a";
  AtomicFile first(path), second(path);
  first.write(std::string(200'000, '1'));
  second.write(std::string(100'000, '2'));
  EXPECT_EQ(files_in(folder.path()), 2u);
  second.commit();
  EXPECT_EQ(read_bytes(path), std::string(100'000, '2'));
  first.commit();
  EXPECT_EQ(read_bytes(path), std::string(200'000, '1'));
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, PlantedLinksAreNotFollowed) {
  const TemporaryFolder folder;
  const auto victim = write_bytes(folder / "victim", "old");
  fs::create_symlink("victim", folder / "a.partial-1");
  write_text(folder / "a", "new");
  EXPECT_EQ(read_bytes(victim), "old");
  EXPECT_TRUE(fs::is_symlink(folder / "a.partial-1"));
}

TEST(AtomicFile, NamesAsLongAsTheFileSystemPermits) {
  const TemporaryFolder folder;
  const auto path = folder / std::string(255, 'n');
  write_text(path, "x");
  EXPECT_EQ(read_bytes(path), "x");
}

TEST(AtomicFile, FailuresAreTheMachines) {
  const TemporaryFolder folder;
  EXPECT_THROW(AtomicFile(folder / "no/such/folder/a"), std::runtime_error);
  EXPECT_THROW(AtomicFile{folder.path()}, std::runtime_error);  // a folder has that name
  EXPECT_THROW(AtomicFile(folder / std::string(256, 'n')), std::runtime_error);
  AtomicFile full("/dev/full");
  full.write("x");
  EXPECT_THROW(full.commit(), std::runtime_error);
}

TEST(AtomicFile, DevicesAreWrittenNotReplaced) {
  write_text("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, MakesTheFileThatALinkPointsTo) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "sub");
  fs::create_symlink("sub/second", folder / "first");
  fs::create_symlink("../real", folder / "sub/second");
  EXPECT_EQ(written_path(folder / "first"), fs::canonical(folder.path()) / "real");
  write_text(folder / "first", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "first"));
  EXPECT_TRUE(fs::is_symlink(folder / "sub/second"));
  EXPECT_EQ(read_bytes(folder / "real"), "new");
  fs::create_symlink("circle", folder / "circle");
  EXPECT_THROW((void)written_path(folder / "circle"), fs::filesystem_error);
  EXPECT_ANY_THROW(require_writable(folder / "circle"));
}

TEST(RequireWritable, ThrowsWhatAtomicFileWould) {
  const TemporaryFolder folder;
  const auto path = write_bytes(folder / "a", "old");
  require_writable(path);
  require_writable(folder / "new");
  require_writable("/dev/full");
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(files_in(folder.path()), 1u);
  EXPECT_THROW(require_writable(folder / "no/such/folder/a"), std::runtime_error);
  EXPECT_THROW(require_writable(folder.path()), std::runtime_error);
}

TEST(MappedName, IsThatOfTheFileAsLongAsItIsMapped) {
  const TemporaryFolder folder;
  const auto path = write_bytes(folder / "a", "hello");
  const std::byte* inside = nullptr;
  {
    const auto file = map_file(path);
    inside = file.bytes.data() + 4;
    EXPECT_STREQ(mapped_name(inside), path.c_str());
  }
  EXPECT_EQ(mapped_name(inside), nullptr);
  EXPECT_EQ(mapped_name(&path), nullptr);
}

TEST(RemovePartials, TakesOnlyWhatIsLeftBehind) {
  const TemporaryFolder folder;
  AtomicFile in_work(folder / "a");
  for (const char* name : {"a.partial-1", "a.partial-22", "a.partial-", "a.partial-x", "b.partial-1", "a"})
    write_bytes(folder / name, "");
  EXPECT_EQ(remove_partials(folder / "a"), 2u);
  EXPECT_FALSE(fs::exists(folder / "a.partial-22"));
  in_work.write("x");
  in_work.commit();
  EXPECT_EQ(files_in(folder.path()), 4u);
  EXPECT_EQ(remove_partials(folder / "nothing"), 0u);
}

TEST(IsThere, IsFalseWhereTheSystemCannotSay) {
  const TemporaryFolder folder;
  const fs::path file = write_bytes(folder / "a", "x");
  EXPECT_TRUE(is_there(file) && is_there(folder.path()) && is_folder(folder.path()));
  EXPECT_FALSE(is_folder(file));
  for (const fs::path& none : {folder / "b", folder / std::string(5000, 'n'), file / "c"})
    EXPECT_FALSE(is_there(none) || is_folder(none));
}

TEST(DigestFile, KnownValues) {
  const TemporaryFolder folder;
  // XXH3_128bits of nothing, as the specification gives it.
  EXPECT_EQ(digest_file(write_bytes(folder / "empty", "")), "99aa06d3014798d86001c324468d497f");
  const auto one = digest_file(write_bytes(folder / "a", std::string(3 << 20, 'a')));
  const auto other = digest_file(write_bytes(folder / "b", std::string(3 << 20, 'a') + "b"));
  EXPECT_EQ(one.size(), 32u);
  EXPECT_NE(one, other);
  EXPECT_REFUSED(digest_file(folder / "missing"), "no such file...");
}

}  // namespace leeway::file_test
