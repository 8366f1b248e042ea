/** Directories, removal and renaming. */
import { sh } from "./sh.js";

export const CHANGING = sh`
# mkdir PATH ALLOWED RECURSIVE
hf_fs_mkdir() {
  hf_note=
  if [ "$3" = yes ]; then hf_make_all "$1" "$2" || { hf_refuse; return; }
  else
    hf_place "$1" no "$2" || { hf_refuse; return; }
    hf_make || { hf_refuse; return; }
  fi
  hf_say made
}

# Makes the directory ./hf_name.
hf_make() {
  if [ -e "./$hf_name" ] || [ -L "./$hf_name" ]; then hf_code=exists; return 1; fi
  hf_begin
  hf_x=$(mkdir "./$hf_name" 2>&1) && return 0
  hf_fault "$hf_x"
  return 1
}

# Starts at the deepest existing directory, enters each new one and checks its real path.
hf_make_all() {
  hf_asked=$1 hf_allow=$2 hf_q=\${1%/} hf_rest=
  until hf_enter "\${hf_q:-/}"; do hf_rest=/\${hf_q##*/}$hf_rest; hf_q=\${hf_q%/*}; done
  hf_real=\${hf_here%/}$hf_rest
  hf_allowed "\${hf_real:-/}" || return 1
  while [ -n "$hf_rest" ]; do
    hf_name=\${hf_rest#/}; hf_name=\${hf_name%%/*}; hf_rest=\${hf_rest#"/$hf_name"}
    if [ ! -d "./$hf_name" ]; then
      if [ -L "./$hf_name" ] || [ -e "./$hf_name" ]; then
        hf_why_not "./$hf_name"
        [ -n "$hf_rest" ] || hf_code=exists
        return 1
      fi
      hf_begin
      hf_x=$(mkdir "./$hf_name" 2>&1) || [ -d "./$hf_name" ] || { hf_fault "$hf_x"; return 1; }
    fi
    hf_want=\${hf_here%/}/$hf_name
    hf_enter "./$hf_name" || { hf_why_not "./$hf_name"; return 1; }
    # A symlink was swapped in meanwhile.
    if [ "$hf_here" != "$hf_want" ]; then hf_code=moved hf_note=\${hf_here%/}$hf_rest; return 1; fi
  done
}

# rm PATH ALLOWED RECURSIVE IGNORE-MISSING WHOLE: a symlink itself, never what it leads to. WHOLE no: the grant does not cover
# all that lies below.
hf_fs_rm() {
  hf_note=
  if ! hf_place "$1" no "$2"; then
    case $4:$hf_code in yes:absent | yes:notdir) hf_say removed ;; *) hf_refuse ;; esac
    return
  fi
  if [ ! -e "./$hf_name" ] && [ ! -L "./$hf_name" ]; then
    hf_why_not "./$hf_name"
    case $4:$hf_code in yes:absent) hf_say removed ;; *) hf_refuse ;; esac
    return
  fi
  if [ "$hf_name" = . ]; then hf_code=denied; hf_refuse; return; fi
  if [ "$5" = no ] && [ "$3" = yes ] && [ -d "./$hf_name" ] && [ ! -L "./$hf_name" ]; then
    hf_code=unclaimed; hf_refuse; return
  fi
  hf_begin
  if [ -d "./$hf_name" ] && [ ! -L "./$hf_name" ] && [ "$3" != yes ]; then hf_x=$(hf_rmdir "./$hf_name" 2>&1)
  elif [ "$3" = yes ]; then hf_x=$(rm -rf "./$hf_name" 2>&1)
  else hf_x=$(rm -f "./$hf_name" 2>&1)
  fi
  if [ -e "./$hf_name" ] || [ -L "./$hf_name" ]; then hf_fault "$hf_x"; hf_refuse; return; fi
  hf_say removed
}

# Removes the directory $1 if it is empty.
hf_rmdir() {
  if hf_has rmdir; then rmdir "$1"; return; fi
  for hf_x in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    if [ -e "$hf_x" ] || [ -L "$hf_x" ]; then printf 'not empty\n'; return 1; fi
  done
  rm -rf "$1"
}

# rename FROM ALLOWED TO ALLOWED REPLACE WHOLE: NUMBER in "fail,CODE,NUMBER" is the path at fault (first or second). The first
# directory stays open as descriptor 6; the second is the working directory.
hf_fs_rename() {
  hf_note= hf_to=$3 hf_to_allow=$4 hf_replace=$5 hf_whole=$6
  hf_place "$1" no "$2" || { hf_refuse 1; return; }
  if [ ! -e "./$hf_name" ] && [ ! -L "./$hf_name" ]; then hf_why_not "./$hf_name"; hf_refuse 1; return; fi
  hf_opened=no
  hf_rename_from 6<.
  if [ "$hf_opened" = no ]; then hf_code=denied; hf_refuse 1; fi
}

hf_rename_from() {
  hf_opened=yes hf_old_name=$hf_name hf_old_real=$hf_real hf_from_directory=no hf_same=no
  if [ -d "./$hf_name" ] && [ ! -L "./$hf_name" ]; then hf_from_directory=yes; fi
  if [ "$hf_from_directory:$hf_whole" = yes:no ]; then hf_code=unclaimed; hf_refuse 1; return; fi
  if [ "$hf_name" = . ]; then hf_code=denied; hf_refuse 1; return; fi
  hf_old_here=$hf_here
  hf_place "$hf_to" no "$hf_to_allow" || { hf_refuse 2; return; }
  case $hf_real/ in
  "$hf_old_real/") hf_say renamed; return ;;
  "$hf_old_real"/*) hf_code=inside; hf_refuse 2; return ;;
  esac
  if [ "$hf_here" = "$hf_old_here" ]; then hf_from=./$hf_old_name
  elif [ -e /proc/self/fd/6 ]; then hf_from=/proc/self/fd/6/$hf_old_name
  else hf_from=$hf_old_real
  fi
  hf_may_take "$hf_from_directory" || { hf_refuse 2; return; }
  if hf_is_same; then hf_say renamed; return; fi
  if hf_crosses; then hf_code=crossdev; hf_refuse 2; return; fi
  hf_begin
  if [ "$hf_replace" != yes ]; then hf_take_new; else hf_take_over; fi
}

# Whether the rename may replace ./hf_name.
hf_may_take() {
  [ -e "./$hf_name" ] || [ -L "./$hf_name" ] || return 0
  if [ "$hf_replace" != yes ]; then hf_code=exists; return 1; fi
  if [ -d "./$hf_name" ] && [ ! -L "./$hf_name" ]; then
    if [ "$1" = no ]; then hf_code=nofile hf_note=directory; return 1; fi
  elif [ "$1" = yes ]; then hf_code=notdir; return 1
  fi
}

# Two names of one file both stay, as with rename(2); mv would remove the old one. A symlink is not a name of its target.
hf_is_same() {
  [ ! -L "$hf_from" ] && [ ! -L "./$hf_name" ] && [ "$hf_from" -ef "./$hf_name" ]
}

# Whether the two are on different file systems, where mv would copy and could be interrupted halfway.
hf_crosses() {
  hf_has stat && hf_x=$(stat -c %d -- "$hf_from" .) && [ "\${hf_x%%$hf_nl*}" != "\${hf_x##*$hf_nl}" ]
}

hf_take_over() {
  if hf_has mvT; then hf_x=$(mv -fT "$hf_from" "./$hf_name" 2>&1)
  elif [ -d "./$hf_name" ]; then hf_x=$(hf_rmdir "./$hf_name" 2>&1 && mv -f "$hf_from" "./$hf_name" 2>&1)
  else hf_x=$(mv -f "$hf_from" "./$hf_name" 2>&1)
  fi || { hf_fault "$hf_x"; hf_refuse 2; return; }
  hf_say renamed
}

# "mv -n", if supported, does not replace a file created meanwhile. It reports nothing then, but the old name still exists.
hf_take_new() {
  if hf_has mvT; then hf_x=$(mv -nT "$hf_from" "./$hf_name" 2>&1); else hf_x=$(mv -f "$hf_from" "./$hf_name" 2>&1); fi
  if [ -e "$hf_from" ] || [ -L "$hf_from" ]; then
    if [ -n "$hf_x" ]; then hf_fault "$hf_x"; else hf_code=exists; fi
    hf_refuse 2; return
  fi
  hf_say renamed
}
`;
