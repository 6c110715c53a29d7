const HEAD = '{"ok":true,"pending_approval":true,"approval":';

/**
 * The text before and after an approval's JSON in the response to a held write. The writes worker
 * removes the last brace of the approval's JSON, so `tail` contains that brace.
 */
export const HELD_RESPONSE_FRAME = { head: HEAD, tail: '}}' } as const;

export function buildHeldBody(approval: string): string {
  return `${HEAD}${approval}}`;
}
