"""Machines of a job: network namespaces of this machine, joined by a wire that delays packets and loses some.

    with Network(4, delay=0.001, loss=0.01) as network:
        run = network.mpirun('MPICH', 4, ['./train'])

Each machine has a host name, a TUN device and a /dev/shm of its own, so that what ranks tell each other goes over TCP. The wire is this process, which
holds the other ends of the devices: netem, which few kernels have, is not needed. It takes root, `unshare` and `nsenter` of util-linux, and `ip`.

network.py: says whether that can be done here; the exit code is 0 if so.
network.py RUNS RANK: as many short jobs of the program LaunchedRank.c with each MPI and over shared memory, one after the other; how many were right.
"""
import contextlib
import fcntl
import heapq
import os
import pathlib
import random
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

PREFIX = '10.77.0.'
# What each MPI needs to find machines by an agent in the place of ssh, and to use nothing but TCP between them.
LAUNCHERS = {
    'Open MPI': lambda agent, hosts: (
        ['mpirun.openmpi', '--allow-run-as-root', '--host', ','.join(hosts), '--bind-to', 'none',
         '--mca', 'plm_rsh_agent', agent, '--mca', 'pml', 'ob1', '--mca', 'btl', 'self,tcp', '--mca', 'btl_tcp_if_include', 'wire',
         '--mca', 'oob_tcp_if_include', 'wire'], {}),
    'MPICH': lambda agent, hosts: (
        ['mpirun.mpich', '-launcher', 'rsh', '-launcher-exec', agent, '-hosts', ','.join(hosts), '-iface', 'wire'],
        {'UCX_TLS': 'tcp,self', 'UCX_NET_DEVICES': 'wire'}),
}


def launchers():
    """The MPIs that are here."""
    return [name for name in LAUNCHERS if shutil.which(LAUNCHERS[name]('', [])[0][0])]


def what_is_missing():
    """Why there can be no network here; empty: there can."""
    missing = ['no program %s' % name for name in ('unshare', 'nsenter', 'ip') if shutil.which(name) is None]
    if not os.path.exists('/dev/net/tun'):
        missing.append('no /dev/net/tun')
    if missing:
        return ', '.join(missing)
    try:
        with Network(2) as network:
            network.run(1, ['true'], check=True)
    except (OSError, EOFError, subprocess.CalledProcessError) as error:
        return 'namespaces of network are not permitted: %s' % error
    return ''


def be_machine(index, count, folder, channel):
    """In namespaces of its own: makes the device, hands its other end over, and stays until the network is closed."""
    channel = socket.socket(fileno=channel)
    tun = os.open('/dev/net/tun', os.O_RDWR)
    set_interface, is_tun, has_no_header = 0x400454ca, 0x0001, 0x1000
    fcntl.ioctl(tun, set_interface, struct.pack('16sH', b'wire', is_tun | has_no_header))
    hosts = folder / 'hosts'
    for command in (['ip', 'link', 'set', 'lo', 'up'], ['ip', 'address', 'add', PREFIX + '%d/24' % (index + 1), 'dev', 'wire'],
                    ['ip', 'link', 'set', 'wire', 'up'], ['mount', '--bind', hosts, '/etc/hosts'], ['mount', '-t', 'tmpfs', 'tmpfs', '/dev/shm'],
                    # Of these namespaces: UCX reads there which devices there are.
                    ['mount', '-t', 'sysfs', 'sysfs', '/sys']):
        subprocess.run(command, check=True)
    socket.sethostname('machine%d' % index)
    socket.send_fds(channel, [b'up'], [tun])
    os.close(tun)
    channel.recv(1)


class Network:
    def __init__(self, count, delay=0., loss=0.):
        self.count, self.delay, self.loss = count, delay, loss
        self.packets = self.lost = self.hung = 0

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='keratin-network-')))
            names = ['127.0.0.1 localhost', *('%s%d machine%d' % (PREFIX, i + 1, i) for i in range(self.count))]
            (self.folder / 'hosts').write_text('\n'.join(names) + '\n')
            self.tuns = [self._start_machine(index, stack) for index in range(self.count)]
            # In the place of ssh: options, a host, a command.
            agent = self.folder / 'agent'
            agent.write_text('#!/bin/sh\nwhile :; do case $1 in -*) shift;; *) break;; esac; done\nhost=$1; shift\n'
                             'exec $(cat %s/$host) sh -c "$*"\n' % self.folder)
            agent.chmod(0o700)
            stop, wake = os.pipe()
            stack.callback(os.close, stop)
            carrier = threading.Thread(target=self._carry, args=(stop,), daemon=True)
            carrier.start()
            stack.callback(carrier.join)
            stack.callback(os.close, wake)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        self.stack.close()

    def _start_machine(self, index, stack):
        ours, theirs = socket.socketpair()
        command = ['unshare', '--net', '--uts', '--mount', sys.executable, __file__, 'machine', index, self.count, self.folder, theirs.fileno()]
        machine = stack.enter_context(subprocess.Popen(list(map(str, command)), pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True))
        stack.callback(ours.close)
        theirs.close()
        _, tuns, _, _ = socket.recv_fds(ours, 2, 1)
        if not tuns:
            raise OSError(machine.communicate()[1].strip())
        stack.callback(os.close, tuns[0])
        stack.callback(self._end_processes, os.readlink('/proc/%d/ns/net' % machine.pid))
        (self.folder / ('machine%d' % index)).write_text('nsenter --net --uts --mount --target %d' % machine.pid)
        return tuns[0]

    @staticmethod
    def _end_processes(namespace):
        """Of a machine: what a job that was ended has left there."""
        for process in filter(str.isdigit, os.listdir('/proc')):
            with contextlib.suppress(OSError):
                if os.readlink('/proc/%s/ns/net' % process) == namespace:
                    os.kill(int(process), signal.SIGKILL)

    def _carry(self, stop):
        drawn = random.Random(1)
        poll = select.epoll()
        for tun in (*self.tuns, stop):
            os.set_blocking(tun, False)
            poll.register(tun, select.EPOLLIN | select.EPOLLHUP)
        under_way = []
        while True:
            wait = under_way[0][0] - time.monotonic() if under_way else -1
            ready = [tun for tun, _ in poll.poll(max(wait, 0) if under_way else None)]
            if stop in ready:
                return
            for tun in ready:
                packet = os.read(tun, 65536)
                # Of IPv4; what the machines' kernels say of themselves in IPv6 is for nobody.
                if packet[0] >> 4 != 4 or not 0 < packet[19] <= self.count:
                    continue
                self.packets += 1
                if drawn.random() < self.loss:
                    self.lost += 1
                else:
                    heapq.heappush(under_way, (time.monotonic() + self.delay, self.packets, packet))
            while under_way and under_way[0][0] <= time.monotonic():
                packet = heapq.heappop(under_way)[2]
                # A full queue loses packets, as a switch does.
                with contextlib.suppress(BlockingIOError):
                    os.write(self.tuns[packet[19] - 1], packet)

    def run(self, machine, command, **options):
        """subprocess.run on a machine."""
        enter = (self.folder / ('machine%d' % machine)).read_text().split()
        return subprocess.run([*enter, *command], text=True, **options)

    def mpirun(self, name, size, command, limit=120, done='all collectives are right', **more):
        """A job with a rank on each of the first machines, started on the first; variables of the environment. done is the last that it says."""
        launcher, variables = LAUNCHERS[name](str(self.folder / 'agent'), ['machine%d' % i for i in range(size)])
        try:
            return self.run(0, [*launcher, '-n', str(size), *map(str, command)], env={**os.environ, **variables, **more},
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
        except subprocess.TimeoutExpired as expired:
            # MPICH 4.0.2 over UCX: in MPI_Finalize ranks that have closed their connections wait for the others without reading, and one that asks them
            # to close its own waits for ever. Of some dozens of jobs it is one, when all is done.
            if name != 'MPICH' or done.encode() not in expired.output:
                raise
            self.hung += 1
            return subprocess.CompletedProcess(expired.cmd, 0, expired.output.decode())


def shared(count, job, command, limit=120, **more):
    """The same without machines: a job over shared memory. What each rank printed, and its exit code."""
    ranks = [subprocess.Popen(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, **more, 'KERATIN_RANK': str(rank), 'KERATIN_RANKS': str(count), 'KERATIN_JOB': job})
             for rank in range(count)]
    outputs = [rank.communicate(timeout=limit)[0] for rank in ranks]
    return [(rank.returncode, output) for rank, output in zip(ranks, outputs)]


def run_many(runs, rank, size=2):
    right = dict.fromkeys([*launchers(), 'shared memory'], 0)
    began = time.monotonic()
    with Network(size, delay=0.0002, loss=0.001) as network:
        for run in range(runs):
            for name in right:
                try:
                    if name == 'shared memory':
                        output = shared(size, 'many-%d-%d' % (os.getpid(), run), [rank, 'brief'])[0][1]
                    else:
                        output = network.mpirun(name, size, [rank, 'brief']).stdout
                except subprocess.TimeoutExpired as expired:
                    output = '%s\n%s' % (expired, expired.output)
                if '%d ranks over %s: all collectives are right' % (size, name) in output:
                    right[name] += 1
                else:
                    print('%s, run %d:\n%s' % (name, run, output), flush=True)
            if (run + 1) % 100 == 0 or run + 1 == runs:
                print('of %d runs were right: %s; %d of MPICH did not end; %d packets, of which %d were lost; %.0f s' %
                      (run + 1, ', '.join('%s %d' % each for each in right.items()), network.hung, network.packets, network.lost,
                       time.monotonic() - began), flush=True)
    return all(count == runs for count in right.values()) and not network.hung


if __name__ == '__main__':
    if sys.argv[1:2] == ['machine']:
        be_machine(int(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4]), int(sys.argv[5]))
    elif len(sys.argv) == 3:
        sys.exit(0 if run_many(int(sys.argv[1]), os.path.abspath(sys.argv[2])) else 1)  # machines are elsewhere
    else:
        why = what_is_missing()
        print(why or 'jobs between network namespaces can run here')
        sys.exit(1 if why else 0)
