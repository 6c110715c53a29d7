export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
