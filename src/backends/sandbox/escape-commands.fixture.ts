/** Commands that try to get out of a sandbox. */

/** System calls without a program: `sc(number, …)`, with numbers that all architectures share, and the C library `c`. */
const calling = (...lines: readonly string[]): string =>
  `PATH=/usr/bin:/bin python3 -c 'import ctypes, os, socket, struct
c = ctypes.CDLL(None); sc = c.syscall
def out(ok): print("GOT-OUT") if ok else None
${lines.join("\n")}'`;

/** `$OUTSIDE`, `$REAL_HOME`, `$STATE`, `$VICTIM`, `$PORT`, `$NAME` are replaced. "known": without a sandbox it gets out, which is tried too. */
export const ESCAPES: readonly (readonly [name: string, command: string, "known"?])[] = [
  ["symlink to a file", "ln -sf $OUTSIDE/secret l; cat l", "known"],
  ["symlink to a directory", "ln -sfn $OUTSIDE d; echo x > d/made", "known"],
  ["absolute path", "cat $OUTSIDE/secret; echo x > $OUTSIDE/made", "known"],
  ["climbing", "cat ../../../../../..$OUTSIDE/secret ../outside/secret", "known"],
  ["/proc/PID/root", "cat /proc/$VICTIM/root$OUTSIDE/secret; ls /proc/$VICTIM && echo GOT-OUT", "known"],
  ["/proc/1/root", "cat /proc/1/root$OUTSIDE/secret; ls /proc/1/cwd$OUTSIDE && echo GOT-OUT"],
  ["environment of other processes", "cat /proc/[0-9]*/environ | tr '\\0' '\\n'", "known"],
  [
    "inherited descriptors",
    "for f in /proc/self/fd/*; do case $f in */[012]) ;; *) timeout 1 cat $f;; esac; done",
    "known",
  ],
  [
    "descriptors of the first process",
    "cat /proc/1/fd/* /proc/$PPID/fd/* </dev/null >x 2>/dev/null & sleep 0.2; kill $!; cat x",
  ],
  [
    "descriptors of what is mounted",
    "for f in /proc/self/fd/* /proc/1/fd/* /proc/$PPID/fd/*; do cat $f/../outside/secret $f/../../outside/secret; ls -L $f/../home/.ssh && echo GOT-OUT; done",
  ],
  [
    "Unix socket",
    "$NODE -e \"require('net').connect('$OUTSIDE/sock').on('connect',()=>process.exit()).on('error',()=>process.exit())\"",
    "known",
  ],
  [
    "abstract socket",
    "$NODE -e \"require('net').connect('\\0$NAME').on('connect',()=>process.exit()).on('error',()=>process.exit())\"",
    "known",
  ],
  [
    "D-Bus and other sockets of the session",
    "cat $XDG_RUNTIME_DIR/secret; ls /run/dbus /var/run/dbus && echo GOT-OUT; echo $DBUS_SESSION_BUS_ADDRESS $SSH_AUTH_SOCK",
  ],
  [
    "loopback of the host",
    "$NODE -e \"require('net').connect($PORT,'127.0.0.1').on('connect',()=>process.exit()).on('error',()=>process.exit())\"",
    "known",
  ],
  [
    "loopback through the proxy",
    "$NODE -e \"require('http').get({host:'127.0.0.1',port:3128,path:'http://127.0.0.1:$PORT/'},()=>process.exit()).on('error',()=>process.exit())\"",
  ],
  [
    "metadata of clouds",
    "$NODE -e \"require('net').connect({port:80,host:'169.254.169.254',timeout:500}).on('connect',()=>{console.log('GOT-OUT');process.exit()}).on('timeout',()=>process.exit()).on('error',()=>process.exit())\"",
  ],
  [
    "metadata through the proxy",
    "$NODE -e \"require('http').get({host:'127.0.0.1',port:3128,path:'http://169.254.169.254/'},(r)=>{if(r.statusCode!==403)console.log('GOT-OUT');process.exit()}).on('error',()=>process.exit())\"",
  ],
  [
    "sockets of virtual machines",
    "python3 -c 'import socket; socket.socket(40, socket.SOCK_STREAM).connect((2, 1)); print(\"GOT-OUT\")'",
  ],
  ["setuid programs", "grep -q 'NoNewPrivs:.1' /proc/self/status || echo GOT-OUT; cp /bin/sh s; chmod u+s s", "known"],
  [
    "capabilities",
    "grep -E '^Cap(Prm|Eff|Bnd|Inh|Amb)' /proc/self/status | grep -qv 0000000000000000 && echo GOT-OUT",
    "known",
  ],
  [
    "memory of another process",
    "head -c 1 /proc/$VICTIM/maps && echo GOT-OUT; strace -f -p $VICTIM -o t & sleep 0.1; test -s t && echo GOT-OUT",
    "known",
  ],
  ["killing a process", "kill -9 $VICTIM"],
  ["killing all processes", "trap '' TERM; kill -TERM -1; kill -9 $VICTIM"],
  ["/tmp of the host", "cat /tmp/$NAME; echo x > /tmp/$NAME-made", "known"],
  ["/var/tmp of the host", "echo x > /var/tmp/$NAME-made", "known"],
  [
    "devices",
    "ls /dev | grep -E '^(sd|vd|nvme|mem|kmsg|kvm|fuse|loop|vsock|tun)' && echo GOT-OUT; mknod b b 8 0 && echo GOT-OUT",
  ],
  ["mount", "mount -t tmpfs none /opt && echo GOT-OUT; mount --bind . /etc && echo GOT-OUT"],
  [
    "remount",
    "mount -o remount,rw,bind /etc && echo GOT-OUT; mount -o remount,rw / && touch /made && echo GOT-OUT; umount -l /etc && echo GOT-OUT",
  ],
  [
    "user namespace",
    "unshare -Ur true && echo GOT-OUT; unshare -m true && echo GOT-OUT; unshare -n true && echo GOT-OUT",
  ],
  [
    "another sandbox",
    "bwrap --bind / / --dev /dev true && echo GOT-OUT; bwrap --unshare-user --bind / / cat $OUTSIDE/secret",
  ],
  ["namespaces of another process", "nsenter -t 1 -m true && echo GOT-OUT; nsenter -t $VICTIM -a cat $OUTSIDE/secret"],
  ["chroot", "chroot / true && echo GOT-OUT; chroot /proc/1/root cat $OUTSIDE/secret"],
  ["pivot through the old root", "cat /oldroot$OUTSIDE/secret /newroot$OUTSIDE/secret; ls /oldroot && echo GOT-OUT"],
  [
    "start-up files of the shell",
    "echo x >> ~/.bashrc; echo x >> $REAL_HOME/.bashrc; echo x > $REAL_HOME/.profile",
    "known",
  ],
  [
    "keys of the user",
    "cat ~/.ssh/id $REAL_HOME/.ssh/id $REAL_HOME/.config/gh/hosts.yml $REAL_HOME/.aws/credentials",
    "known",
  ],
  [
    ".npmrc of the user",
    "cat ~/.npmrc $REAL_HOME/.npmrc; npm_config_userconfig=$REAL_HOME/.npmrc npm config get x",
    "known",
  ],
  ["programs of the user", "echo x > $REAL_HOME/.local/bin/tool", "known"],
  [
    "git hooks",
    "echo x > .git/hooks/pre-commit; rm -rf .git/hooks; mkdir -p .git/hooks; echo x > .git/hooks/made",
    "known",
  ],
  [
    "git configuration",
    "git config core.fsmonitor ./x; echo x >> .git/config; echo x > c; mv c .git/config; echo x > .git/config.worktree",
    "known",
  ],
  ["renaming .git", "mv .git g; mkdir -p .git/hooks; echo x > .git/hooks/made", "known"],
  ["replacing .git", "ln -sfnT evil .git; mkdir evil; mv -T evil .git; mv -T .git evil; rmdir evil"],
  [
    "another configuration for git",
    "echo ../evil > .git/commondir; rm .git/commondir; echo ../evil > .git/commondir",
    "known",
  ],
  [
    "settings of editors and agents",
    "echo x > .vscode/tasks.json; mv .vscode v; mkdir .vscode; echo x > .vscode/tasks.json; echo x > haft.jsonc",
    "known",
  ],
  [
    "renaming the workspace",
    "cd /; mv $WORKSPACE $WORKSPACE-moved; rmdir $WORKSPACE; test -d $WORKSPACE || echo GOT-OUT",
  ],
  [
    "cron",
    "echo x > /etc/cron.d/made && echo GOT-OUT; echo '* * * * * x' | crontab - && echo GOT-OUT; ls /var/spool/cron && echo GOT-OUT",
  ],
  [
    "files of the system",
    "touch /usr/bin/made /etc/made /opt/made && echo GOT-OUT; cat /etc/shadow | grep . && echo GOT-OUT",
  ],
  [
    "state of Haft",
    "cat $STATE/secret; mkdir -p $STATE/approvals; echo x > $STATE/approvals/made; rm -rf $STATE/*",
    "known",
  ],
  ["long commands of others", "echo x > $(dirname $TMPDIR)/scripts/made && echo GOT-OUT"],
  [
    "terminal",
    'exec 3<>/dev/tty && echo GOT-OUT; python3 -c \'import fcntl; fcntl.ioctl(0, 0x5412, b"x"); print("GOT-OUT")\'',
  ],
  ["/sys", "ls /sys/* && echo GOT-OUT", "known"],
  [
    "core_pattern and other settings of the kernel",
    "for f in kernel/core_pattern kernel/modprobe vm/drop_caches; do (printf '' >> /proc/sys/$f) && echo GOT-OUT; done; for f in sysrq-trigger irq/default_smp_affinity mtrr bus/pci/00/00.0; do (printf '' >> /proc/$f) && echo GOT-OUT; done; echo x >> /dev/stdout | grep -q x || echo GOT-OUT",
  ],
  ["hard link to an outside file", "ln $OUTSIDE/secret h && cat h; ln /etc/passwd p && echo GOT-OUT"],
  [
    "TMPDIR as a symlink, first step",
    "rm -rf $TMPDIR; mv $TMPDIR t; ln -s $OUTSIDE $TMPDIR; mv ~ h; ln -sfn $OUTSIDE ~/.local; mv ~/.local ~/l; ln -sfn $OUTSIDE ~/.local",
  ],
  ["TMPDIR as a symlink, second step", "echo x > $TMPDIR/made; echo x > ~/.local/made; echo x > /tmp/made"],
  [
    "files by their handles",
    calling(
      'handle = ctypes.create_string_buffer(struct.pack("IiII", 8, 1, 2, 0), 136); at = os.open(".", 0)',
      "out(c.open_by_handle_at(at, handle, 0) >= 0)",
      'handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136); mount = ctypes.c_int()',
      'out(c.name_to_handle_at(at, b"..", handle, ctypes.byref(mount), 0) == 0 and c.open_by_handle_at(at, handle, 0) >= 0)',
    ),
  ],
  [
    "mounts by descriptors",
    calling(
      'out(sc(430, b"tmpfs", 0) >= 0); out(sc(428, -100, b"/etc", 1) >= 0)',
      'tree = sc(428, -100, b"/usr", 0); out(sc(429, tree, b"", -100, b"/opt", 4) == 0)',
      'out(sc(442, -100, b"/etc", 0, struct.pack("QQQQ", 0, 1, 0, 0), 32) == 0)',
    ),
  ],
  [
    "descriptors of the first process, by its pidfd",
    calling(
      "first = sc(434, 1, 0); got = [sc(438, first, number, 0) for number in range(64)]",
      'for one in ["/proc/self/fd/%d" % number for number in got if number >= 0]:',
      "  out(os.path.isdir(one) or os.path.isfile(one))",
    ),
  ],
  [
    "the private directory, which commands see",
    "D=$(dirname $TMPDIR); for d in $D /tmp/$(basename $D); do for f in owner made scripts/made net/made home/../made; do (echo x >> $d/$f) && echo GOT-OUT; done; ln $d/owner $TMPDIR/o && echo GOT-OUT; touch $TMPDIR/f; ln $TMPDIR/f $d/f && echo GOT-OUT; for f in tmp home net; do mv $d/$f $d/m && echo GOT-OUT; done; chmod 777 $d && echo GOT-OUT; done",
  ],
  [
    "a socket beside the one of the proxy",
    `D=$(dirname $TMPDIR); rm -f $D/net/proxy && echo GOT-OUT; $NODE -e "require('net').createServer().on('error',()=>process.exit()).listen('$D/net/own',()=>{console.log('GOT-OUT');process.exit()})"`,
  ],
  [
    "loopback of the host by other addresses",
    `for a in 0.0.0.0 ::ffff:127.0.0.1; do $NODE -e "require('net').connect($PORT,'$a').on('connect',()=>process.exit()).on('error',()=>process.exit())"; done`,
    "known",
  ],
  [
    "loopback by other names, through the proxy",
    `for h in localhost localhost. 127.1 0 2130706433 0x7f.1 [::] [::ffff:7f00:1] [64:ff9b::7f00:1] x@127.0.0.1; do for m in GET CONNECT; do $NODE -e "const m='$m',u='$h:$PORT';require('http').request({port:3128,method:m,path:m==='GET'?'http://'+u+'/':u}).on('response',()=>process.exit()).on('connect',()=>process.exit()).on('error',()=>process.exit()).end()"; done; done`,
  ],
  [
    "packets",
    calling(
      "for family, kind in [(17, 3), (44, 3), (2, 3)]:",
      "  try: socket.socket(family, kind, 255 if family == 2 else 0); out(True)",
      "  except OSError: pass",
    ),
  ],
  ["shared memory of System V", "grep -q ' $SEGMENT ' /proc/sysvipc/shm && echo GOT-OUT", "known"],
  ["shared memory", "ls /dev/shm/$NAME && echo GOT-OUT; cat /dev/shm/$NAME", "known"],
];
