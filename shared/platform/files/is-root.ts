/** Whether this process runs as root. */
export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
