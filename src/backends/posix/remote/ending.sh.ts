/** How the remote side ends: after "shutdown", after a disconnect, or when the local side has been silent for too long. */
import { sh } from "./sh.js";

export const ENDING = sh`
# Reads a pipe that only the dispatcher can write to: end of file means that the dispatcher has ended for any reason. Only the
# first level has one.
hf_sentinel() {
  exec 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- >/dev/null
  [ "$hf_base" = 0 ] || return 0
  if IFS= read -r hf_l && [ "$hf_l" = shutdown ]; then hf_ending shutdown; else hf_ending disconnected; fi
}

# Checks three times per lease for a heartbeat; ends a channel that has been silent or was replaced. Its sleep is a background
# job, so that TERM ends both. Where PID 1 does not collect what it inherits, a child that is not waited for would stay as a zombie.
hf_watch() {
  hf_has sleep || return 0
  hf_own_pid; hf_note "$hf_pid" "$hf_s/watch.$hf_gen"
  hf_z=; trap '[ -z "$hf_z" ] || { kill "$hf_z"; wait "$hf_z"; }; exit 0' TERM
  hf_missed=0 hf_seen=; hf_tick=$(( hf_lease / 3 )); [ "$hf_tick" -gt 0 ] || hf_tick=1
  while :; do
    sleep "$hf_tick" & hf_z=$!
    wait "$hf_z"; hf_z=
    hf_now=; read -r hf_now <"$hf_s/gen"
    if [ "$hf_now" != "$hf_gen" ]; then hf_stop_dispatcher; exit 0; fi
    hf_now=; read -r hf_now <"$hf_s/beat.$hf_gen"
    if [ "$hf_now" = "$hf_seen" ]; then hf_missed=$(( hf_missed + 1 )); else hf_missed=0; fi
    hf_seen=$hf_now
    if [ "$hf_missed" -ge 3 ]; then
      trap - TERM; rm -f "$hf_s/watch.$hf_gen"
      # Checked here, because ending removes the directory.
      hf_reader= hf_reader_start=; read -r hf_reader hf_reader_start <"$hf_s/dispatch.$hf_gen" || hf_reader=
      hf_ending silent
      ! hf_is_still "$hf_reader" "$hf_reader_start" || kill "$hf_reader"
      exit 0
    fi
  done
}

hf_stop_dispatcher() { hf_is_mine "$hf_s" && hf_kill_noted TERM "$hf_s/dispatch.$hf_gen"; }
hf_stop_watch() { hf_is_mine "$hf_s" && hf_kill_noted TERM "$hf_s/watch.$hf_gen"; }

# Ends all commands and removes the spool directory. After a disconnect the commands first continue for a while, so that a new
# channel can adopt them by writing its number into "gen". Jobs with lifetime "keep" stay, with their files. Where the directory was
# removed, and made again by another user, nothing in it is read or changed.
hf_ending() {
  ! hf_is_mine "$hf_s" || hf_claim "$hf_s/ending.$hf_gen" || return 0
  if [ "$1" != shutdown ]; then
    # Looks every second, so that a channel that was replaced, or whose directory is gone, leaves no shells behind.
    hf_y=$hf_orphan
    while [ "$hf_y" -gt 0 ] && hf_current; do
      if [ "$hf_y" -gt 100 ]; then hf_pause 100; else hf_pause "$hf_y"; fi
      hf_y=$(( hf_y - 100 ))
    done
    hf_current && hf_claim "$hf_s/reaping" || { hf_stop_watch; return 0; }
    # The new channel writes "gen" first and then checks for "reaping"; checking again here means that one of the two yields.
    if ! hf_current; then rm -f "$hf_s/reaping"; hf_stop_watch; return 0; fi
  fi
  hf_commands
  hf_end_tree "$hf_leaders" "$hf_tag-" 300 "*"
  cd /
  if hf_is_mine "$hf_s"; then
    # Workers must not write into the directory any more; "gen" stops them.
    printf 'closed\n' >"$hf_s/gen"
    hf_stop_watch
    for hf_f in "$hf_s"/bulk.*.pid; do hf_kill_noted KILL "$hf_f"; done
    # A worker or pump that is about to end may create a file while the directory is removed.
    if hf_kept; then hf_own_group=
    else
      hf_tries=0
      until rm -rf "$hf_s" || [ "$hf_tries" = 20 ]; do hf_pause 5; hf_tries=$(( hf_tries + 1 )); done
    fi
  fi
  hf_x=; for hf_e in $hf_found; do hf_x=$hf_x+$hf_e; done
  printf 'Q 0,shutdown,%s\n' "$hf_x" >&3
  # The channel is no longer used. Kills those of our own shells that hang.
  if [ "$1" != shutdown ] && [ -n "$hf_own_group" ]; then hf_pause 50; kill -KILL "-$hf_own_group"; fi
}

# Whether the directory is still ours and no other channel has taken over; an invalid "gen" counts as none.
hf_current() {
  hf_is_mine "$hf_s" || return 1
  hf_now=; read -r hf_now <"$hf_s/gen"
  case $hf_now in "$hf_gen") return 0 ;; closed) return 1 ;; "" | *[!0-9]*) return 0 ;; *) return 1 ;; esac
}

# Sets hf_leaders to the leaders of all commands except jobs with lifetime "keep".
hf_commands() {
  hf_leaders=
  for hf_f in "$hf_s"/*.r; do
    if [ -e "\${hf_f%.r}.keep" ] || ! hf_read_record "$hf_f" ""; then continue; fi
    hf_leader_in_record
    hf_leaders="$hf_leaders $hf_leader"
  done
}

# Leaves only the files of kept jobs; fails when there are none.
hf_kept() {
  hf_any=1
  for hf_f in "$hf_s"/*; do
    hf_x=\${hf_f%.keep}
    case $hf_f in *.keep) hf_any=0 ;; esac
  done
  [ "$hf_any" = 0 ] || return 1
  for hf_f in "$hf_s"/*; do
    hf_x=\${hf_f##*/}; hf_x=\${hf_x%%.*}
    [ -e "$hf_s/$hf_x.keep" ] || rm -f "$hf_f"
  done
  rm -f "$hf_s/reaping"
}
`;
