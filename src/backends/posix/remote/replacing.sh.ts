/** Writes files atomically: readers see all old or all new bytes, and no temporary file remains. */
import { sh } from "./sh.js";

export const REPLACING = sh`
# The message for a tool that was killed, for example by a file size limit, and printed nothing.
hf_killed="the remote process that writes the bytes was killed"

# replace PATH ALLOWED EXPECT VALUE TEMP STAGED NEW-ONLY SIZE MODE
#   EXPECT any, absent, sha256 or version, with VALUE   STAGED: prefix of the files in the spool directory that
#   hold the bytes, or "" when they follow as data   NEW-ONLY yes: an existing file may not be changed
#   MODE of a file that is created, in octal digits, or "": as the umask gives it
# "replaced,CREATED,IN-PLACE,HASH-BEFORE". With "absent" a final symlink is not followed: it counts as existing.
hf_fs_replace() {
  hf_follow_it=yes; [ "$3" != absent ] || hf_follow_it=no
  hf_place "$1" "$hf_follow_it" "$2" || { hf_refuse; return; }
  hf_expect=$3 hf_value=$4 hf_temp=./\${5%.tmp}-$hf_serial.tmp hf_staged=$6 hf_new_size=$8 hf_new_mode=$9 hf_note=
  hf_judge "$7" && hf_write_temp && hf_put_there || { hf_refuse; return; }
  hf_say "replaced,$hf_created,$hf_in_place,$hf_before"
}

# Whether the existing file may be replaced. Sets hf_old to the line about it, or "", and hf_before to its hash, or "-".
hf_judge() {
  hf_old= hf_before=- hf_created=yes
  if [ ! -e "./$hf_name" ] && [ ! -L "./$hf_name" ]; then
    case $hf_expect in sha256 | version) hf_code=stale hf_note=absent; return 1 ;; esac
    return 0
  fi
  if [ "$hf_expect" = absent ]; then hf_code=stale hf_note=present; return 1; fi
  if [ "$1" = yes ]; then hf_code=unclaimed; return 1; fi
  if [ ! -f "./$hf_name" ]; then hf_no_file; return 1; fi
  # Where the directory is not writable either, creating the new file reports why.
  if [ ! -w "./$hf_name" ] && [ -w . ]; then hf_code=denied; return 1; fi
  hf_created=no
  hf_old=$(hf_info "./$hf_name")
  if [ "$hf_expect" = version ] && [ "$hf_value" != "\${hf_old#*"|"}" ]; then hf_code=stale hf_note=version; return 1; fi
  hf_x=\${hf_old#*"|"}; hf_x=\${hf_x#* }
  if [ "\${hf_x%% *}" -le 268435456 ] && hf_has sha256sum; then
    hf_before=$(sha256sum <"./$hf_name"); hf_before=\${hf_before%% *}
  fi
  if [ "$hf_expect" = sha256 ] && [ "$hf_value" != "$hf_before" ]; then hf_code=stale hf_note=$hf_before; return 1; fi
}

# Writes the new bytes to a temporary file next to the old one, created exclusively, with the old file's mode and owner. Files
# with several names, or whose owner or other rights cannot be preserved, are left to hf_in_place.
hf_write_temp() {
  hf_in_place=no hf_opened=no hf_note=
  # Files of the same request on channels that were lost. Such a channel may still be writing to its file, and then removes it
  # by name: each has a name of its own.
  hf_y=1
  while [ "$hf_y" -lt "$hf_serial" ]; do
    hf_x=\${hf_temp%-*}-$hf_y.tmp; hf_y=$(( hf_y + 1 ))
    if [ -e "$hf_x" ]; then rm -f "$hf_x"; fi
  done
  if [ -n "$hf_old" ]; then
    set -- \${hf_old%%"|"*}
    hf_mode=$1 hf_owner=$2 hf_group=$3 hf_links=$4
    hf_bits_of "$hf_mode"
    # The umask gives the new file the old mode, except for bits that a new file cannot have.
    hf_octal $(( 0777 & ~hf_bits )); umask "$hf_x"
  elif [ -n "$hf_new_mode" ]; then hf_octal $(( 0777 & ~0$hf_new_mode )); umask "$hf_x"
  fi
  set -C
  hf_fill 6>"$hf_temp"
  set +C
  umask "$hf_umask"
  if [ "$hf_opened" = no ]; then hf_fault "$( { set -C; printf '' >"$hf_temp"; } 2>&1 )"; return 1; fi
  if [ -n "$hf_broken" ]; then hf_fault "$hf_broken"; rm -f "$hf_temp"; return 1; fi
  if [ -z "$hf_old" ]; then
    # Without "chmod" it cannot be made executable.
    [ -z "$hf_new_mode" ] || chmod "$hf_new_mode" "$hf_temp" || :
    return 0
  fi
  if [ "$hf_links" != 1 ] || hf_more_rights || ! hf_keep_attributes; then hf_in_place=yes; fi
  # Stats both at once: the last check that the old file is unchanged.
  hf_both=$(hf_infos "$hf_temp" "./$hf_name")
  hf_last=\${hf_both#*"$hf_nl"}
  [ "$hf_in_place" = no ] || return 0
  set -- \${hf_both%%"|"*}
  # Changing the owner clears file capabilities.
  if [ "$hf_owner:$hf_group" = "$2:$3" ]; then :
  else chown "$hf_owner:$hf_group" "$hf_temp" && hf_keep_attributes || { hf_in_place=yes; return 0; }
  fi
  if [ "$hf_mode" != "$1" ]; then
    hf_octal "$hf_bits"
    chmod "$hf_x" "$hf_temp" || hf_in_place=yes
  fi
  return 0
}

# Writes the bytes to descriptor 6 and syncs them. Sets hf_broken to the error.
hf_fill() {
  hf_opened=yes hf_broken= hf_sync=
  if hf_has fsync; then hf_sync=conv=fsync; fi
  if [ -n "$hf_staged" ]; then
    hf_broken=$(cat "$hf_s/$hf_staged".* | dd bs=262144 $hf_sync 2>&1 >&6) && hf_broken=
  elif [ "$hf_data" = 0 ]; then return 0
  elif hf_has fullblock; then
    if hf_broken=$(dd bs="$hf_data" count=1 iflag=fullblock $hf_sync 2>&1 >&6); then
      # A short block means that the channel was disconnected.
      case $hf_broken in *"1+0 records out"*) hf_broken= ;; esac
    else hf_broken=\${hf_broken:-$hf_killed}
    fi
    hf_data=0
    return 0
  else
    hf_broken=$(hf_take "$hf_data" | hf_drain 2>&1 >&6) && hf_broken=
    hf_data=0
  fi
  set -- $(hf_info "$hf_temp" | { IFS="|" read -r hf_x hf_y; printf '%s' "$hf_y"; })
  [ "$2" = "$hf_new_size" ] || hf_broken=\${hf_broken:-$hf_killed}
}

# Whether the old file has rights besides its mode, which a new file would lose.
hf_more_rights() {
  case $(LC_ALL=C ls -ld "./$hf_name") in ??????????+*) return 0 ;; esac
  return 1
}

# Copies extended attributes and the access control list (which not every "ls" shows) to the new file. Without GNU "cp" they
# are lost, unless hf_more_rights saw them.
hf_keep_attributes() {
  case " $hf_facts " in *" attributes:"*) ;; *) return 0 ;; esac
  hf_x=\${hf_facts#*attributes:}
  "\${hf_x%% *}" --attributes-only --preserve=mode,xattr -- "./$hf_name" "$hf_temp"
}

# The permission bits of "81a4" or "-rw-r--r--", as a number in hf_bits.
hf_bits_of() {
  case $1 in
  [-dl]*) ;;
  *) hf_bits=$(( 0x$1 & 07777 )); return 0 ;;
  esac
  hf_x=\${1#?} hf_bits=0 hf_bit=256
  while [ "$hf_bit" -gt 0 ]; do
    case $hf_x in -* | S* | T*) ;; *) hf_bits=$(( hf_bits + hf_bit )) ;; esac
    case $hf_bit:$hf_x in
    64:[sS]*) hf_bits=$(( hf_bits + 2048 )) ;;
    8:[sS]*) hf_bits=$(( hf_bits + 1024 )) ;;
    1:[tT]*) hf_bits=$(( hf_bits + 512 )) ;;
    esac
    hf_x=\${hf_x#?} hf_bit=$(( hf_bit / 2 ))
  done
}

# The number $1 in octal digits, in hf_x.
hf_octal() { hf_x=$(( $1 >> 9 & 7 ))$(( $1 >> 6 & 7 ))$(( $1 >> 3 & 7 ))$(( $1 & 7 )); }

# Puts the new file in place, in the same working directory as the last check.
hf_put_there() {
  if [ -n "$hf_old" ]; then
    if [ "$hf_last" != "$hf_old" ]; then hf_give_up stale changed; return 1; fi
  elif [ -e "./$hf_name" ] || [ -L "./$hf_name" ]; then
    if [ "$hf_expect" = absent ]; then hf_give_up stale present; else hf_give_up stale changed; fi
    return 1
  fi
  hf_begin
  if [ "$hf_in_place" = yes ]; then hf_over; return; fi
  if [ "$hf_expect" = absent ]; then
    # A hard link fails if the name exists.
    if hf_has ln && hf_x=$(ln -T "$hf_temp" "./$hf_name" 2>&1 || ln "$hf_temp" "./$hf_name" 2>&1); then rm -f "$hf_temp"; return 0; fi
    if [ -e "./$hf_name" ] || [ -L "./$hf_name" ]; then hf_give_up stale present; return 1; fi
    # Without hard links, an empty file is the claim, and the new file replaces it.
    if ! hf_claim "./$hf_name"; then hf_give_up stale present; return 1; fi
  fi
  if hf_has mvT; then hf_x=$(mv -fT "$hf_temp" "./$hf_name" 2>&1) && return 0
  else [ -d "./$hf_name" ] || hf_x=$(mv -f "$hf_temp" "./$hf_name" 2>&1) && return 0
  fi
  hf_fault "$hf_x"; rm -f "$hf_temp"
  return 1
}

hf_give_up() { hf_code=$1 hf_note=$2; rm -f "$hf_temp"; }

# Overwrites the file in place: other names, owner and rights stay. Descriptor 5 is verified to be that file. Old and new bytes
# are stored next to it until the new bytes are on disk, because this shell may be killed halfway.
hf_over() {
  hf_shut_file
  hf_code=denied hf_note= hf_x=\${hf_temp#./.haft-} hf_kept=$hf_name
  # A name has 255 bytes at most.
  [ "\${#hf_kept}" -le 220 ] || hf_kept=
  hf_kept=./$hf_kept.haft-backup-\${hf_x%-*}
  if hf_overwrite 5<"./$hf_name"; then rm -f "$hf_temp" "$hf_kept"; return 0; fi
  [ "$hf_code" = torn ] || rm -f "$hf_temp" "$hf_kept"
  return 1
}

hf_overwrite() {
  hf_out=./$hf_name
  if [ -e /proc/self/fd/5 ]; then hf_out=/proc/self/fd/5; fi
  if ! hf_x=$( { : 6<>"$hf_out"; } 2>&1 ); then hf_fault "$hf_x"; return 1; fi
  hf_x=\${hf_old#*"|"}; hf_x=\${hf_x#* }; hf_old_size=\${hf_x%% *}
  hf_keep_old || return 1
  # Checked after the copy, so that the backup has exactly the bytes that are overwritten.
  if ! hf_same_file || [ "$hf_line" != "$hf_old" ]; then hf_code=stale hf_note=changed; return 1; fi
  hf_grow && hf_overwrite_inside || return 1
  # A write by anyone but root clears the set-id bits. They cannot be restored on a file of another user.
  if [ $(( hf_bits & 06000 )) != 0 ]; then hf_octal "$hf_bits"; chmod "$hf_x" "$hf_out"; fi
  return 0
}

# Copies the old bytes to a private file and syncs it.
hf_keep_old() {
  hf_x=$(umask 077; set -C; { dd bs=65536 $hf_sync <&5; } 2>&1 >"$hf_kept") && return 0
  hf_code=unkept hf_note=$hf_old_size$hf_nl\${hf_x:-$hf_killed}
  return 1
}

# Writes the part beyond the old end first, so that a full disk leaves the old bytes unchanged.
hf_grow() {
  [ "$hf_new_size" -gt "$hf_old_size" ] || return 0
  hf_x=$(hf_beyond 2>&1 >>"$hf_out") && return 0
  hf_x=\${hf_x:-$hf_killed}
  if hf_cut "$hf_old_size" >/dev/null; then hf_fault "$hf_x"; else hf_torn "$hf_x"; fi
  return 1
}

# Prints the new bytes beyond the old end, after skipping those before it in whole blocks.
hf_beyond() {
  {
    hf_n=$hf_old_size
    for hf_y in 65536 256 1; do
      hf_x=$(( hf_n / hf_y )) hf_n=$(( hf_n % hf_y ))
      [ "$hf_x" = 0 ] || dd bs="$hf_y" count="$hf_x" 2>/dev/null >/dev/null
    done
    dd bs=65536 $hf_sync
  } <"$hf_temp"
}

hf_overwrite_inside() {
  hf_n=$(( hf_new_size < hf_old_size ? hf_new_size : hf_old_size ))
  if [ "$hf_n" != 0 ]; then hf_x=$(hf_put_over 2>&1) || { hf_torn "$hf_x"; return 1; }; fi
  [ "$hf_new_size" -lt "$hf_old_size" ] || return 0
  hf_x=$(hf_cut "$hf_new_size") || { hf_torn "$hf_x"; return 1; }
}

# The last block may extend beyond the old end, where the same bytes already are. A function, because bash parses "1<>"
# directly inside "$( )" as "<>".
hf_put_over() { dd bs=65536 count=$(( (hf_n + 65535) / 65536 )) $hf_sync <"$hf_temp" 1<>"$hf_out"; }

# Truncates the file to $1 bytes. Prints the error.
hf_cut() { dd if=/dev/null of="$hf_out" bs=1 seek="$1" $hf_sync 2>&1; }

# The file has neither all old nor all new bytes. $1: the error message of a tool.
hf_torn() {
  hf_code=torn hf_note=\${1:-$hf_killed}
  hf_note=\${hf_note%%"$hf_nl"*}$hf_nl\${hf_here%/}/\${hf_temp#./}$hf_nl\${hf_here%/}/\${hf_kept#./}
}
`;
