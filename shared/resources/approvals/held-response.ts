const HEAD = '{"ok":true,"pending_approval":true,"approval":';

/** The text around an approval's JSON. `tail` replaces the last brace of the approval. */
export const HELD_RESPONSE_FRAME = { head: HEAD, tail: '}}' } as const;

export function buildHeldBody(approval: string): string {
  return `${HEAD}${approval}}`;
}
