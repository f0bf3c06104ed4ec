// SPDX-License-Identifier: Apache-2.0
// The guest's first process once it is up: runs the commands that the runner sends through a serial
// port, and sends back their output and status; before them, a command that it is started with,
// which nothing from outside disturbs. A frame is a type, a length of 32 bits (little
// endian) and that many bytes:
//   to the guest:   R command (for /bin/sh), B (reboot: ends the machine)
//   to the runner:  H kernel release (ready), O output (stdout and stderr), X status (32 bits;
//                   128 + n for signal n)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { COMMAND_MAX = 65536 };

static int port;

static void fail(const char* what) {
  perror(what);
  exit(1);  // the kernel panics, and says so
}

static void send_bytes(const void* data, size_t size) {
  const char* at = data;
  while (size > 0) {
    ssize_t n = write(port, at, size);
    if (n < 0 && errno != EINTR) fail("agent: write");
    if (n > 0) {
      at += n;
      size -= (size_t)n;
    }
  }
}

static void receive_bytes(void* data, size_t size) {
  char* at = data;
  while (size > 0) {
    ssize_t n = read(port, at, size);
    if (n == 0 || (n < 0 && errno != EINTR)) fail("agent: read");
    if (n > 0) {
      at += n;
      size -= (size_t)n;
    }
  }
}

static void send_frame(char type, const void* data, uint32_t size) {
  unsigned char header[5] = {(unsigned char)type, size & 0xff, size >> 8 & 0xff, size >> 16 & 0xff,
                             size >> 24};
  send_bytes(header, sizeof header);
  send_bytes(data, size);
}

// Sends what is in the pipe now; false once nobody can write to it any more.
static int forward(int from) {
  char buffer[4096];
  for (;;) {
    ssize_t n = read(from, buffer, sizeof buffer);
    if (n > 0)
      send_frame('O', buffer, (uint32_t)n);
    else if (n == 0)
      return 0;
    else if (errno == EAGAIN)
      return 1;
    else if (errno != EINTR)
      fail("agent: pipe");
  }
}

// The status of `child` if it has ended, else -1. Others that have ended are buried too.
static int bury(pid_t child) {
  int status = 0, result = -1;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    if (pid == child) result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

static void run(const char* command, const sigset_t* unblock, int signals) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) fail("agent: pipe");
  pid_t child = fork();
  if (child < 0) fail("agent: fork");
  if (child == 0) {
    sigprocmask(SIG_UNBLOCK, unblock, NULL);
    setsid();
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    execl("/bin/sh", "sh", "-c", command, (char*)NULL);
    _exit(127);
  }
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  struct pollfd waits[2] = {{.fd = signals, .events = POLLIN}, {.fd = ends[0], .events = POLLIN}};
  for (int result = -1; result < 0;) {
    if (poll(waits, 2, -1) < 0 && errno != EINTR) fail("agent: poll");
    if (waits[0].revents) {
      struct signalfd_siginfo info;
      if (read(signals, &info, sizeof info) < 0) fail("agent: signalfd");
      result = bury(child);
    }
    // What a child of the command still holds open does not keep the command from ending.
    if (waits[1].fd >= 0 && (waits[1].revents || result >= 0) && !forward(ends[0]))
      waits[1].fd = -1;
    if (result >= 0) {
      unsigned char status[4] = {(unsigned char)result, 0, 0, 0};
      send_frame('X', status, sizeof status);
    }
  }
  close(ends[0]);
}

static void end_machine(void) {
  sync();
  tcdrain(port);
  reboot(RB_AUTOBOOT);
}

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: agent TTY [COMMAND]\n");
    return 2;
  }
  port = open(argv[1], O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios raw;
  if (port < 0 || tcgetattr(port, &raw) < 0) fail(argv[1]);
  cfmakeraw(&raw);
  raw.c_cflag |= CLOCAL | CREAD;
  if (tcsetattr(port, TCSAFLUSH, &raw) < 0) fail(argv[1]);
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, NULL);
  int signals = signalfd(-1, &ended, SFD_CLOEXEC);
  if (signals < 0) fail("agent: signalfd");

  struct utsname name;
  uname(&name);
  send_frame('H', name.release, (uint32_t)strlen(name.release));
  if (argc == 3) run(argv[2], &ended, signals);
  // A machine that waits for a word from outside would work meanwhile, for a time that nobody knows.
  if (getenv("SLUICE_ENDS") != NULL) end_machine();
  for (;;) {
    unsigned char header[5];
    receive_bytes(header, sizeof header);
    uint32_t size = header[1] | header[2] << 8 | header[3] << 16 | (uint32_t)header[4] << 24;
    static char command[COMMAND_MAX + 1];
    if (size > COMMAND_MAX) fail("agent: too long a command");
    receive_bytes(command, size);
    command[size] = 0;
    if (header[0] == 'B') {
      end_machine();
    } else if (header[0] == 'R') {
      run(command, &ended, signals);
    }
  }
}
