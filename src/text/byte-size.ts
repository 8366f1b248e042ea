const UNITS = ["bytes", "KiB", "MiB", "GiB"] as const;

/** A limit for users and models, in the largest unit that divides it: `16 KiB`, `64 MiB`, `1500 bytes`. */
export function byteSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && size % 1024 === 0 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size} ${UNITS[unit]}`;
}
