/** Resolves a path and enters its real directory, so that the check and the operation apply to the same file. */
import { sh } from "./sh.js";

export const PLACE = sh`
# Enters the real parent directory of $1; sets hf_name to the name in it ("." for the root) and hf_real to the real path.
#   $2 yes: a symlink at the end is followed   $3: places that are allowed, as quoted words, or "*" for all
# Fails with hf_code and hf_note set. "moved": the real path is hf_note, which is neither $1 nor allowed.
hf_place() {
  hf_asked=$1 hf_follow=$2 hf_allow=$3 hf_p=$1 hf_hops=0
  hf_walk && hf_allowed "$hf_real"
}

hf_walk() {
  while :; do
    case $hf_p in
    "" | /)
      hf_enter / || return 1
      hf_name=. hf_real=/; return 0 ;;
    */) hf_p=\${hf_p%/}; continue ;;
    esac
    hf_name=\${hf_p##*/} hf_up=\${hf_p%/*}
    if ! hf_enter "\${hf_up:-/}"; then hf_lost "$hf_p"; return 1; fi
    case $hf_name in
    . | ..)
      # Only symlink targets end like this.
      if ! hf_enter "./$hf_name"; then hf_lost "$hf_p"; return 1; fi
      hf_p=$hf_here; continue ;;
    esac
    hf_real=\${hf_here%/}/$hf_name
    if [ "$hf_follow" != yes ] || [ ! -L "./$hf_name" ]; then return 0; fi
    hf_hops=$(( hf_hops + 1 ))
    if [ "$hf_hops" -gt 40 ]; then hf_code=loop hf_note=; return 1; fi
    hf_link "./$hf_name" || { hf_code=denied hf_note=; return 1; }
    case $hf_target in /*) hf_p=$hf_target ;; *) hf_p=\${hf_here%/}/$hf_target ;; esac
  done
}

# The target of the symlink $1, as it is written, in hf_target.
hf_link() {
  if hf_has readlink; then hf_target=$(readlink "$1" && printf x) && hf_target=\${hf_target%?x}
  else hf_target=$(LC_ALL=C ls -ld "$1" && printf x) && hf_target=\${hf_target%?x} && hf_target=\${hf_target#*" $1 -> "}
  fi
}

# Whether the real path $1 is the requested one or allowed.
hf_allowed() {
  if [ "$1" = "$hf_asked" ] || [ "$hf_allow" = "*" ]; then return 0; fi
  hf_found_place=$1
  eval "set -- $hf_allow"
  for hf_x in "$@"; do if [ "$hf_x" = "$hf_found_place" ]; then return 0; fi; done
  hf_code=moved hf_note=$hf_found_place
  return 1
}

# Reports why the directory of $1 could not be entered. If the existing part resolves elsewhere, it is authorized first, so
# that missing names outside of the allowed paths are not revealed.
hf_lost() {
  hf_q=\${1%/*}
  until hf_enter "\${hf_q:-/}"; do hf_q=\${hf_q%/*}; done
  hf_rest=\${1#"$hf_q"/}
  hf_real=\${hf_here%/}/$hf_rest hf_note=
  hf_allowed "$hf_real" || return 0
  hf_why_not "./\${hf_rest%%/*}"
}

# Why $1 cannot be entered, in hf_code.
hf_why_not() {
  if [ -d "$1" ]; then hf_code=denied
  elif [ -e "$1" ]; then hf_code=notdir
  else
    case $(LC_ALL=C ls -dL -- "$1" 2>&1) in
    *"oo many"*) hf_code=loop ;;
    *"oo long"*) hf_code=toolong ;;
    *ermission*) hf_code=denied ;;
    *) hf_code=absent ;;
    esac
  fi
}

# Sets hf_note to the kind of ./hf_name if it is not a regular file.
hf_no_file() {
  hf_code=nofile hf_note=
  if [ -d "./$hf_name" ]; then hf_note=directory
  elif [ -p "./$hf_name" ]; then hf_note=fifo
  elif [ -S "./$hf_name" ]; then hf_note=socket
  elif [ -b "./$hf_name" ] || [ -c "./$hf_name" ]; then hf_note=device
  elif [ -L "./$hf_name" ]; then hf_note=link
  else hf_why_not "./$hf_name"
  fi
}

# Maps the error message $1 of a tool to a code.
hf_fault() {
  hf_note=$1
  case $1 in
  *"o space left"* | *uota*) hf_code=nospace ;;
  *ead-only*) hf_code=readonly ;;
  *ermission* | *"not permitted"*) hf_code=denied ;;
  *"oo long"*) hf_code=toolong ;;
  *"not empty"*) hf_code=notempty ;;
  *"xists"*) hf_code=exists ;;
  *"o such file"*) hf_code=absent ;;
  *"ot a directory"*) hf_code=notdir ;;
  *) hf_code=io ;;
  esac
}

# One line about $1, symlinks not followed: "MODE OWNER GROUP LINKS CHANGED|IDENTITY". The part after the bar is the version.
hf_format='%f %u %g %h %y|%d:%i %s %z'
hf_info() {
  if hf_has stat; then stat -c "$hf_format" -- "$1"
  else
    # Mode bits as letters, times to the minute: what "ls" has.
    hf_x=$(LC_ALL=C TZ=UTC0 ls -ldin -- "$1") || return 1
    set -- $hf_x
    printf '%s %s %s %s %s %s %s|%s %s %s %s %s\n' "$2" "$4" "$5" "$3" "$7" "$8" "$9" "$1" "$6" "$7" "$8" "$9"
  fi
}
`;
