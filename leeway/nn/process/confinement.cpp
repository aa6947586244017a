#include "leeway/nn/process/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

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

// Refused calls that are reported. Of open and openat, those alone that ask for more than reading.
#ifdef SYS_open
constexpr long older_writes[] = {SYS_open, SYS_creat, SYS_mknod, SYS_mkdir, SYS_link, SYS_symlink},
               older_changes[] = {SYS_rename, SYS_unlink, SYS_rmdir, SYS_chmod, SYS_chown, SYS_utimes},
               older_starts[] = {SYS_fork, SYS_vfork};
#endif
constexpr long writes[] = {SYS_openat, SYS_mknodat, SYS_mkdirat, SYS_linkat, SYS_symlinkat},
               changes[] = {SYS_truncate, SYS_ftruncate, SYS_renameat2, SYS_unlinkat,
                            SYS_fchmod,   SYS_fchmodat,  SYS_fchownat,  SYS_utimensat,
                            SYS_setxattr, SYS_mount,     SYS_chroot},
               starts[] = {SYS_execve, SYS_execveat, SYS_clone},
               talks[] = {SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen},
               reaches[] = {SYS_kill, SYS_tgkill, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev};
struct Refused {
  std::string_view act;
  std::span<const long> calls;
};
constexpr Refused confinement_refused[] = {
#ifdef SYS_open
    {"writes files", older_writes},
    {"changes or removes files", older_changes},
    {"starts programs", older_starts},
#endif
    {"writes files", writes},
    {"changes or removes files", changes},
    {"starts programs", starts},
    {"opens sockets", talks},
    {"accesses other processes", reaches}};

// Memory, threads, time, and descriptors that are open.
constexpr long confinement_allowed[] = {SYS_read,
                                        SYS_write,
                                        SYS_readv,
                                        SYS_writev,
                                        SYS_pread64,
                                        SYS_recvfrom,
                                        SYS_sendto,
                                        SYS_recvmsg,
                                        SYS_sendmsg,
                                        SYS_lseek,
                                        SYS_fstat,
                                        SYS_close,
                                        SYS_mmap,
                                        SYS_munmap,
                                        SYS_mremap,
                                        SYS_mprotect,
                                        SYS_madvise,
                                        SYS_brk,
                                        SYS_futex,
                                        SYS_sched_yield,
                                        SYS_sched_getaffinity,
                                        SYS_getcpu,
                                        SYS_clock_gettime,
                                        SYS_gettimeofday,
                                        SYS_clock_nanosleep,
                                        SYS_nanosleep,
                                        SYS_getrandom,
                                        SYS_rt_sigprocmask,
                                        SYS_rt_sigaction,
                                        SYS_rt_sigreturn,
                                        SYS_sigaltstack,
                                        SYS_exit,
                                        SYS_exit_group,
                                        SYS_set_robust_list,
                                        SYS_rseq,
                                        SYS_gettid,
                                        SYS_getpid,
                                        SYS_membarrier,
                                        SYS_restart_syscall,
                                        SYS_sysinfo,
                                        SYS_uname,
                                        SYS_getrusage};

// To look at files and open them for reading.
constexpr long confinement_reading[] = {
#ifdef SYS_open
    SYS_stat,       SYS_lstat,     SYS_access,    SYS_readlink,   SYS_getdents64,
#endif
    SYS_newfstatat, SYS_statx,     SYS_faccessat, SYS_readlinkat, SYS_getcwd,
    SYS_fcntl,      SYS_fadvise64, SYS_prctl,     SYS_seccomp};

// The argument of an open that says what it is for; -1: another call.
int place_of_flags(long call) {
#ifdef SYS_open
  if (call == SYS_open) return 1;
#endif
  return call == SYS_openat ? 2 : -1;
}

constexpr std::uint32_t writing_flags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

// Of a system call's argument; both processors are little-endian.
std::size_t low_half(std::size_t argument) {
  return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);
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

std::vector<sock_filter> make_filter(Confine limits) {
  const auto answer = [](std::uint32_t value) { return statement(BPF_RET | BPF_K, value); };
  const sock_filter trap = answer(SECCOMP_RET_TRAP), allow = answer(SECCOMP_RET_ALLOW),
                    absent = answer(SECCOMP_RET_ERRNO | ENOSYS),
                    forbidden = answer(SECCOMP_RET_ERRNO | EPERM);
  const sock_filter number = load(offsetof(seccomp_data, nr));
  // system calls of another processor's numbering, 32-bit ones of this one among them
  std::vector<sock_filter> filter{load(offsetof(seccomp_data, arch)), only_if(BPF_JEQ, this_processor, 1),
                                  statement(BPF_JMP | BPF_JA, 1), absent, number};
  const auto add = [&](std::initializer_list<sock_filter> more) { filter.insert(filter.end(), more); };
  const auto is = [](long call, std::uint8_t otherwise) {
    return only_if(BPF_JEQ, static_cast<std::uint32_t>(call), otherwise);
  };
#ifdef __x86_64__
  add({only_if(BPF_JGE, 0x40000000U, 1), absent});
#endif
  for (const long call : confinement_allowed) add({is(call, 1), allow});
  if (limits == Confine::read)
    for (const long call : confinement_reading) add({is(call, 1), allow});
  // threads, but no processes; glibc goes on with clone where clone3 is absent
  add({is(SYS_clone3, 1), absent});
  add({is(SYS_clone, 4), load(low_half(0)), only_if(BPF_JSET, CLONE_THREAD, 1), allow, trap});
  // signals to this process alone, which abort() needs
  add({is(SYS_tgkill, 4), load(low_half(0)), only_if(BPF_JEQ, static_cast<std::uint32_t>(getpid()), 1), allow,
       trap});
  // to read limits, not to set them
  add({is(SYS_prlimit64, 6), load(low_half(2)), only_if(BPF_JEQ, 0, 3), load(low_half(2) + 4),
       only_if(BPF_JEQ, 0, 1), allow, forbidden});
  const sock_filter reading = limits == Confine::read ? allow : forbidden;
  for (const Refused& refused : confinement_refused)
    for (const long call : refused.calls)
      if (const int flags = place_of_flags(call); flags < 0)
        add({is(call, 1), trap});
      else
        add({is(call, 4), load(low_half(static_cast<std::size_t>(flags))),
             only_if(BPF_JSET, writing_flags, 1), trap, reading});
  filter.push_back(forbidden);
  return filter;
}

// The last reported call that was refused; 0: none.
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
int install(const std::vector<sock_filter>& filter) {
  if (this_processor == 0) return ENOTSUP;
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  // without the flag, kernels before 5.16 slow a confined thread down on account of Spectre
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0) return 0;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

}  // namespace

std::string why_not_confined() {
  static const int error = [] {
    int result = 0;
    std::jthread([&] { result = install({statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}); }).join();
    return result;
  }();
  return error == 0 ? "" : "seccomp: " + std::generic_category().message(error);
}

void confine(Confine limits) {
  listen_for_refusals();
  if (const int error = install(make_filter(limits)); error != 0)
    throw std::runtime_error("seccomp: " + std::generic_category().message(error));
}

std::string_view refused_act() {
  const int call = last_refused.exchange(0);
  if (call == 0) return {};
  for (const Refused& refused : confinement_refused)
    if (std::ranges::find(refused.calls, static_cast<long>(call)) != refused.calls.end()) return refused.act;
  return "makes a forbidden system call";
}

void limit_memory(std::size_t bytes) {
  const auto limit = [](auto resource, rlim_t most) {
    const rlimit both{most, most};
    setrlimit(resource, &both);
  };
  limit(RLIMIT_DATA, bytes);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
}

}  // namespace leeway::nn
