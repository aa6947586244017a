#!/bin/bash
# A private Slurm cluster of one node, without a service manager, all of it below a folder.
#   slurm_cluster.sh up FOLDER CPUS PORT     starts it; prints "up"
#   slurm_cluster.sh down FOLDER             ends it
# Ports PORT and PORT + 1 of this machine's own address. Needs Debian's slurm-wlm and munge, and root.
set -u
folder=$(realpath -m "$2")
export SLURM_CONF=$folder/slurm.conf
name=$(hostname -s)

configuration() {
  local cpus=$1 port=$2 memory
  memory=$(awk '/^MemTotal/ {print int($2 / 1024 * 0.8)}' /proc/meminfo)
  cat <<CONF
ClusterName=leeway
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
NodeName=$name NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=all Nodes=$name Default=YES MaxTime=INFINITE State=UP
# More processors than there are, and nobody but this machine.
SlurmdParameters=config_overrides
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CredType=cred/munge
# Without control groups and without a database.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
# Tasks share the node, and begin again where they or their node died.
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=256
JobRequeue=1
RequeueExit=137
ReturnToService=2
# Quickly, since tests wait; a task queues again once the credential of its last run is too old (above, 5 s).
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
KillWait=2
SlurmdTimeout=60
PropagateResourceLimits=NONE
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.log
CONF
}

up() {
  mkdir -p "$folder"/{munge,state,spool,run,log} || return 1
  chmod 755 "$folder" "$folder/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
  configuration "$1" "$2" >"$SLURM_CONF"
  munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --seed-file="$folder/munge/seed" \
    --pid-file="$folder/run/munged.pid" --log-file="$folder/log/munged.log" || return 1
  slurmctld -c -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" || return 1
  for _ in $(seq 200); do
    [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] && return 0
    sleep 0.1
  done
  return 1
}

down() {
  local daemon pid
  timeout 5 scancel --user="$(id -un)" 2>/dev/null
  for daemon in slurmd slurmctld munged; do
    pid=$(cat "$folder/run/$daemon.pid" 2>/dev/null) || continue
    grep -qaF "$folder" "/proc/$pid/cmdline" 2>/dev/null || continue # the number of another process by now
    kill "$pid"
    for _ in $(seq 100); do
      grep -qaF "$folder" "/proc/$pid/cmdline" 2>/dev/null || break
      sleep 0.05
    done
    kill -9 "$pid" 2>/dev/null
  done
  return 0
}

case $1 in
  up) up "$3" "$4" >/dev/null 2>&1 && echo up || { down; exit 1; } ;;
  down) down ;;
esac
