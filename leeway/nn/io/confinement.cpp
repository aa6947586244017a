#include "leeway/nn/io/confinement.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::nn {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t this_processor = AUDIT_ARCH_X86_64;
void set_result(ucontext_t& context, long value) { context.uc_mcontext.gregs[REG_RAX] = value; }
#elif defined(__aarch64__)
constexpr std::uint32_t this_processor = AUDIT_ARCH_AARCH64;
void set_result(ucontext_t& context, long value) {
  context.uc_mcontext.regs[0] = static_cast<unsigned long long>(value);
}
#else
constexpr std::uint32_t this_processor = 0;
void set_result(ucontext_t&, long) {}
#endif

struct Refused {
  long call;
  std::string_view act;
};

constexpr std::string_view writes = "writes files", changes = "changes or removes files",
                           starts = "starts programs", talks = "opens sockets",
                           reaches = "reaches into other processes";

// Of open and openat, those alone that ask for more than reading.
constexpr Refused confinement_refused[] = {
#ifdef SYS_open
    {SYS_open, writes},          {SYS_creat, writes},        {SYS_mknod, writes},
    {SYS_mkdir, writes},         {SYS_link, writes},         {SYS_symlink, writes},
    {SYS_rename, changes},       {SYS_unlink, changes},      {SYS_rmdir, changes},
    {SYS_chmod, changes},        {SYS_chown, changes},       {SYS_lchown, changes},
    {SYS_utime, changes},        {SYS_utimes, changes},      {SYS_futimesat, changes},
#endif
#ifdef SYS_renameat
    {SYS_renameat, changes},
#endif
    {SYS_openat, writes},        {SYS_mknodat, writes},      {SYS_mkdirat, writes},
    {SYS_linkat, writes},        {SYS_symlinkat, writes},    {SYS_truncate, changes},
    {SYS_renameat2, changes},    {SYS_unlinkat, changes},    {SYS_fchmod, changes},
    {SYS_fchmodat, changes},     {SYS_fchown, changes},      {SYS_fchownat, changes},
    {SYS_utimensat, changes},    {SYS_setxattr, changes},    {SYS_lsetxattr, changes},
    {SYS_fsetxattr, changes},    {SYS_removexattr, changes}, {SYS_lremovexattr, changes},
    {SYS_fremovexattr, changes}, {SYS_mount, changes},       {SYS_umount2, changes},
    {SYS_pivot_root, changes},   {SYS_chroot, changes},      {SYS_execve, starts},
    {SYS_execveat, starts},      {SYS_socket, talks},        {SYS_socketpair, talks},
    {SYS_connect, talks},        {SYS_bind, talks},          {SYS_listen, talks},
    {SYS_kill, reaches},         {SYS_ptrace, reaches},      {SYS_process_vm_writev, reaches},
};
// These would pass the flags of an open by a pointer, and calls past the filter; libraries do without them.
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
constexpr long confinement_absent[] = {SYS_openat2, SYS_io_uring_setup};

constexpr std::uint32_t writing_flags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

bool by_flags(long call) {
#ifdef SYS_open
  if (call == SYS_open) return true;
#endif
  return call == SYS_openat;
}

sock_filter statement(int code, std::uint32_t value) {
  return BPF_STMT(static_cast<std::uint16_t>(code), value);
}
// The next `otherwise` instructions are passed over unless the comparison holds.
sock_filter only_if(int comparison, std::uint32_t value, std::uint8_t otherwise) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K), value, 0, otherwise);
}
sock_filter load(std::size_t offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

std::vector<sock_filter> make_filter() {
  const sock_filter trap = statement(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
                    allow = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                    unknown = statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  const std::size_t call = offsetof(seccomp_data, nr);
  // system calls of another processor's numbering, 32-bit ones of this one among them
  std::vector<sock_filter> filter{load(offsetof(seccomp_data, arch)), only_if(BPF_JEQ, this_processor, 1),
                                  statement(BPF_JMP | BPF_JA, 1), unknown, load(call)};
#ifdef __x86_64__
  filter.insert(filter.end(), {only_if(BPF_JGE, 0x40000000U, 1), unknown});
#endif
  for (const long number : confinement_absent)
    filter.insert(filter.end(), {only_if(BPF_JEQ, static_cast<std::uint32_t>(number), 1), unknown});
  for (const Refused& one : confinement_refused) {
    const auto number = static_cast<std::uint32_t>(one.call);
    if (!by_flags(one.call)) {
      filter.insert(filter.end(), {only_if(BPF_JEQ, number, 1), trap});
      continue;
    }
    const std::size_t flags =
        offsetof(seccomp_data, args) + sizeof(std::uint64_t) * (one.call == SYS_openat ? 2 : 1);
    filter.insert(filter.end(), {only_if(BPF_JEQ, number, 4), load(flags),
                                 only_if(BPF_JSET, writing_flags, 1), trap, allow});
  }
  filter.push_back(allow);
  return filter;
}

// The last call that a confined thread was refused; 0: none.
std::atomic<int> last_refused{0};
static_assert(std::atomic<int>::is_always_lock_free);

constexpr int by_seccomp = 1;  // SYS_SECCOMP of the kernel's headers, which do not go with glibc's

extern "C" void on_refused_call(int number, siginfo_t* info, void* context) {
  if (info->si_code != by_seccomp) {  // somebody's signal
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  last_refused.store(info->si_syscall);
  set_result(*static_cast<ucontext_t*>(context), -EACCES);
}

void listen_for_refusals() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_refused_call;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSYS, &action, nullptr);
  });
}

// 0, or the error of the system.
int confine_this_thread() {
  static const std::vector<sock_filter> filter = make_filter();
  if (this_processor == 0) return ENOTSUP;
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  // without the flag, kernels before 5.16 slow a confined thread down on account of Spectre
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0) return 0;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

void tell_of_refusals(const std::string& name) {
  const int call = last_refused.exchange(0);
  if (call == 0) return;
  const auto* const found = std::ranges::find(confinement_refused, static_cast<long>(call), &Refused::call);
  refuse(name, "a program that only computes",
         fmt::format("one that {} (--trust lets it)",
                     found == std::end(confinement_refused) ? writes : found->act));
}

}  // namespace

std::string why_not_confined() {
  static const int error = [] {
    int result = 0;
    std::jthread([&] { result = confine_this_thread(); }).join();
    return result;
  }();
  return error == 0 ? "" : "seccomp: " + std::generic_category().message(error);
}

void run_confined(const std::string& name, const std::function<void()>& work) {
  if (const std::string reason = why_not_confined(); !reason.empty())
    throw std::runtime_error(fmt::format("{}: its threads cannot be confined ({})", name, reason));
  listen_for_refusals();
  try {
    run_on_own_threads([&] {
      if (const int error = confine_this_thread(); error != 0)
        throw std::runtime_error(fmt::format("{}: its threads cannot be confined ({})", name,
                                             std::generic_category().message(error)));
      work();
    });
  } catch (...) {
    tell_of_refusals(name);
    throw;
  }
  tell_of_refusals(name);
}

}  // namespace leeway::nn
