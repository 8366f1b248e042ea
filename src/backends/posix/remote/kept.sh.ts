/** Requests about jobs with lifetime "keep", of this and of earlier connections. */
import { sh } from "./sh.js";

export const KEPT = sh`
# kept [DIRECTORY/ID]: that job, or every job with lifetime "keep" in the spool directories beside this one. A line for each:
# "DIRECTORY/ID SECONDS STOPPED RECORD", where SECONDS have passed since any of its files changed ("-" if that is not known), and
# RECORD is what the local side wrote when it started the job.
# Others may write to the parent directory, so only directories that belong to this user count.
hf_do_kept() {
  hf_list=$hf_s/w$hf_k.s hf_made= hf_last=
  printf '' >"$hf_list" || { hf_unnoted; return 0; }
  ! hf_has stat || hf_made=$(stat -c %Y "$hf_list")
  if [ $# = 0 ]; then set -- "\${hf_s%/*}"/haft-*/*.keep; else set -- "\${hf_s%/*}/$1.keep"; fi
  for hf_f in "$@"; do
    hf_d=\${hf_f%/*}
    [ -f "$hf_f" ] || continue
    [ "$hf_d" = "$hf_last" ] || hf_is_mine "$hf_d" || continue
    hf_last=$hf_d
    hf_f=\${hf_f%.keep} hf_age=- hf_stopped=no
    [ ! -e "$hf_f.stop" ] || hf_stopped=yes
    if [ -n "$hf_made" ]; then
      hf_y=0
      for hf_x in $(stat -c %Y "$hf_f".*); do [ "$hf_x" -le "$hf_y" ] || hf_y=$hf_x; done
      hf_age=$(( hf_made - hf_y ))
    fi
    { printf '%s ' "\${hf_d##*/}/\${hf_f##*/}" "$hf_age" "$hf_stopped"; cat "$hf_f.keep"; printf '\n'; } >>"$hf_list"
  done
  hf_size_of "$hf_list"
  if [ "$hf_x" = 0 ]; then hf_reply kept; else printf 'F %s,kept %s %s\n' "$hf_id" "$hf_x" "w$hf_k.s" >&3; fi
}
`;
