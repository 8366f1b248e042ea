/** Looking at files and directories. */
import { sh } from "./sh.js";

export const STAT_SCRIPT = sh`
# stat PATH ALLOWED: "stat,A,B,C" and, as long as these numbers say, the line about it, its target and the place where that
# leads; and then the line about that place, if there is one. The place is reported, never judged, here.
hf_fs_stat() {
  hf_place "$1" no "$2" || { hf_refuse; return; }
  hf_line=$(hf_info "./$hf_name") || { hf_why_not "./$hf_name"; hf_note=; hf_refuse; return; }
  if [ "$hf_name" != . ] && [ -L "./$hf_name" ]; then
    hf_led "./$hf_name"
    hf_tell "stat,\${#hf_line},\${#hf_target},\${#hf_end}" "$hf_line$hf_target$hf_end$hf_last"
  else
    hf_tell "stat,\${#hf_line},0,0" "$hf_line"
  fi
}

# Follows the symlink $1 (in the directory where the shell stands) to its end. Sets hf_target to its text, hf_end to the real
# place or "" and hf_last to the line about that or "". The shell stands elsewhere afterwards.
hf_led() {
  hf_end= hf_last=
  hf_link "$1" || return 0
  hf_first=$hf_target
  hf_p=\${hf_here%/}/\${1#./} hf_follow=yes hf_hops=0
  if hf_walk; then
    hf_end=$hf_real
    [ ! -e "./$hf_name" ] || hf_last=$(hf_info "./$hf_name")
  fi
  hf_target=$hf_first
}

# about PATH ALLOWED: the line about what it leads to, which is judged.
hf_fs_about() {
  hf_place "$1" yes "$2" || { hf_refuse; return; }
  hf_line=$(hf_info "./$hf_name") || { hf_why_not "./$hf_name"; hf_note=; hf_refuse; return; }
  hf_tell about "$hf_line"
}

# exists PATH ALLOWED: yes or no. May also say that it moved.
hf_fs_exists() {
  hf_place "$1" yes "$2" || { if [ "$hf_code" = moved ]; then hf_refuse; else hf_say no; fi; return; }
  if [ -e "./$hf_name" ]; then hf_say yes; else hf_say no; fi
}

# Stands in the directory $1 itself. Fails as hf_place does.
hf_into() {
  hf_place "$1" yes "$2" || return 1
  if [ ! -d "./$hf_name" ]; then
    if [ -e "./$hf_name" ]; then hf_code=notdir hf_note=; else hf_why_not "./$hf_name"; fi
    return 1
  fi
  if ! hf_enter "./$hf_name"; then hf_code=denied hf_note=; return 1; fi
  # The name may have become a symlink since it was looked at.
  hf_allowed "$hf_here"
}

# list PATH ALLOWED LIMIT LINKS LITERAL: the children: "list,TOTAL,A,B" and, as long as the numbers say, their names ("./a/./b/")
# and a line about each in the same order; then, where LINKS is yes, for each symlink its name and what hf_led tells.
# With more children than LIMIT only the names: the local side chooses and asks again with "infos". Where LITERAL is not
# empty the names of the files that hold it come last, as "./a/./b/".
hf_fs_list() {
  hf_into "$1" "$2" || { hf_refuse; return; }
  hf_limit=$3 hf_links=$4 hf_literal=$5
  set -- ./*
  if [ "$1" = "./*" ] && [ ! -e "$1" ] && [ ! -L "$1" ]; then shift; fi
  set -- ./.[!.]* "$@"
  if [ "$1" = "./.[!.]*" ] && [ ! -e "$1" ] && [ ! -L "$1" ]; then shift; fi
  set -- ./..?* "$@"
  if [ "$1" = "./..?*" ] && [ ! -e "$1" ] && [ ! -L "$1" ]; then shift; fi
  hf_listing "$@"
}

# infos PATH ALLOWED LINKS NAMES...: the same for named children; those that are gone are left out.
hf_fs_infos() {
  hf_into "$1" "$2" || { hf_refuse; return; }
  hf_limit=$# hf_links=$3 hf_literal=
  shift 3
  hf_listing "$@"
}

hf_listing() {
  if [ $# = 0 ]; then hf_say list,0,0,0; return; fi
  hf_all=$(printf '%s/' "$@")
  if [ $# -gt "$hf_limit" ]; then hf_tell "list,$#,\${#hf_all},0" "$hf_all"; return; fi
  hf_total=$#
  hf_lines=$(hf_infos "$@")
  hf_tails=
  if [ "$hf_links" = yes ]; then
    for hf_child in "$@"; do
      [ -L "$hf_child" ] || continue
      # In a shell of its own, because it goes away to look. The x keeps newlines.
      hf_x=$(hf_led "$hf_child"; printf '%s %s %s\n%s%s%sx' "\${#hf_target}" "\${#hf_end}" "\${#hf_last}" "$hf_target" "$hf_end" "$hf_last")
      hf_tails="$hf_tails$hf_child/\${hf_x%x}"
    done
  fi
  [ -z "$hf_literal" ] || hf_tails=$(hf_holding "$@")
  hf_tell "list,$hf_total,\${#hf_all},\${#hf_lines}" "$hf_all$hf_lines$hf_tails"
}

# Which of $@ are files that may hold hf_literal. Only regular files are handed to grep: a FIFO would hold it up. It tells
# names in lines, so one that holds a newline is named without asking; and so is what cannot be read, for that to be told,
# and what the kernel makes up, where a read may wait without end.
hf_holding() {
  hf_made_up=no
  case $hf_here/ in /proc/* | /sys/*) hf_made_up=yes ;; esac
  hf_files= hf_n=0 hf_chosen=0 hf_dollar='$'
  for hf_child in "$@"; do
    hf_n=$(( hf_n + 1 ))
    if [ ! -f "$hf_child" ] || [ -L "$hf_child" ]; then continue; fi
    case $hf_child in *"$hf_nl"*) printf '%s/' "$hf_child"; continue ;; esac
    if [ "$hf_made_up" = yes ] || [ ! -r "$hf_child" ]; then printf '%s/' "$hf_child"; continue; fi
    hf_files="$hf_files \"$hf_dollar{$hf_n}\"" hf_chosen=$(( hf_chosen + 1 ))
    # As many names as fit into a command line anywhere.
    if [ "$hf_chosen" = 300 ]; then hf_holding_among "$@"; hf_files= hf_chosen=0; fi
  done
  [ -z "$hf_files" ] || hf_holding_among "$@"
}

# Those of hf_files, which are places in $@, that hold hf_literal. Where grep could not look at one, all may.
hf_holding_among() {
  hf_x=$(eval "grep -lsF -e \"\$hf_literal\" -- $hf_files"; printf '%s' "$?")
  hf_y=\${hf_x##*"$hf_nl"}
  case $hf_y in
  0 | 1) printf '%s' "\${hf_x%"$hf_y"}" | while IFS= read -r hf_x; do printf '%s/' "$hf_x"; done ;;
  *) eval "printf '%s/' $hf_files" ;;
  esac
}

# A line about each of $@. What is gone by now has no line; the local side counts.
hf_infos() {
  if ! hf_has stat; then for hf_child in "$@"; do hf_info "$hf_child"; done
  elif [ $# -le 300 ]; then stat -c "$hf_format" -- "$@"
  elif hf_has xargs0; then printf '%s\0' "$@" | xargs -0 stat -c "$hf_format" --
  else
    hf_files= hf_n=0 hf_dollar='$'
    for hf_child in "$@"; do
      hf_n=$(( hf_n + 1 )) hf_files="$hf_files \"$hf_dollar{$hf_n}\""
      if [ $(( hf_n % 300 )) = 0 ]; then eval "stat -c \"\$hf_format\" -- $hf_files"; hf_files=; fi
    done
    [ -z "$hf_files" ] || eval "stat -c \"\$hf_format\" -- $hf_files"
  fi
}

# gather PATH ALLOWED NAMES...: small files of one directory at once: "gather,A" and A bytes of lines about them, then their
# bytes, then "y" where the lines are still the same, which no symlink put there in between would leave.
hf_fs_gather() {
  hf_into "$1" "$2" || { hf_refuse; return; }
  shift 2
  hf_lines=$(stat -c "$hf_format" -- "$@")
  hf_n=0 hf_count=0
  while IFS= read -r hf_x; do
    case $hf_x in 8???" "*) ;; *) hf_code=changed hf_note=; hf_refuse; return ;; esac
    hf_x=\${hf_x#*"|"}; hf_x=\${hf_x#* }; hf_n=$(( hf_n + \${hf_x%% *} )) hf_count=$(( hf_count + 1 ))
  done <<haft-list
$hf_lines
haft-list
  if [ "$hf_count" != $# ] || [ "$hf_n" = 0 ] || [ "$hf_n" -gt 1048576 ]; then hf_code=changed hf_note=; hf_refuse; return; fi
  printf '%s %s,gather,%s %s\n%s' "$hf_nonce" "$hf_id" "\${#hf_lines}" "$(( \${#hf_lines} + hf_n + 1 ))" "$hf_lines"
  hf_d=$(cat -- "$@" | dd bs="$hf_n" count=1 iflag=fullblock 2>&1 >&4)
  hf_same=n
  case $hf_d in
  *"1+0 records out"*) if [ "$(stat -c "$hf_format" -- "$@")" = "$hf_lines" ]; then hf_same=y; fi ;;
  *) hf_x=\${hf_d##*" records out$hf_nl"}; hf_x=\${hf_x%% *}
    case $hf_x in "" | *[!0-9]*) exit 1 ;; esac
    dd if=/dev/zero bs=1 count=$(( hf_n - hf_x )) ;;
  esac
  printf '%s%s\n' "$hf_same" "$hf_nonce"
}

# resolve PATHS...: for each "A B KIND" and a newline, then, so long, the real place of what exists and what is missing.
hf_fs_resolve() {
  hf_out=
  for hf_one in "$@"; do
    hf_p=$hf_one hf_asked=$hf_one hf_allow="*" hf_follow=yes hf_hops=0 hf_missing=
    while :; do
      hf_rest=
      if hf_walk; then hf_kind_of "./$hf_name"; break; fi
      hf_kind=absent
      if [ "$hf_code" = loop ]; then hf_kind=link; fi
      hf_lead_on || break
    done
    if [ "$hf_kind" = absent ]; then
      # hf_real is the whole; the shell stands in the last directory that exists.
      hf_missing=\${hf_real#"\${hf_here%/}"/} hf_real=$hf_here
    fi
    hf_out="$hf_out\${#hf_real} \${#hf_missing} $hf_kind$hf_nl$hf_real$hf_missing"
  done
  hf_tell resolve "$hf_out"
}

# Where the first name that is missing is a symlink that leads nowhere: goes on from where it would lead, in hf_p.
hf_lead_on() {
  case $hf_code,$hf_rest in absent,*/*) hf_x=./\${hf_rest%%/*} ;; *) return 1 ;; esac
  hf_hops=$(( hf_hops + 1 ))
  if [ ! -L "$hf_x" ] || [ "$hf_hops" -gt 40 ]; then return 1; fi
  hf_link "$hf_x" || return 1
  case $hf_target in /*) hf_p=$hf_target ;; *) hf_p=\${hf_here%/}/$hf_target ;; esac
  hf_p=$hf_p/\${hf_rest#*/}
}

hf_kind_of() {
  if [ -L "$1" ]; then hf_kind=link
  elif [ -d "$1" ]; then hf_kind=directory
  elif [ -f "$1" ]; then hf_kind=file
  elif [ -e "$1" ]; then hf_kind=other
  else hf_kind=absent
  fi
}
`;
