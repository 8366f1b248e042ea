/** Calls a listener of the host. What it throws is its own affair, and no failure of the one that tells. */
export function unharmed(tell: () => void): void {
  try {
    tell();
  } catch {
    // It was told; there is nobody else to tell.
  }
}
