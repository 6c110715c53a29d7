const HEAD = '{"ok":true,"pending_approval":true,"approval":';

/** What stands around an approval's JSON in the answer to a held write; `tail` takes the place of its last brace. */
export const HELD_FRAME = { head: HEAD, tail: '}}' } as const;

/** The answer to a held write, around its approval's JSON. */
export function heldBody(approval: string): string {
  return `${HEAD}${approval}}`;
}

/** Member of a held payload whose lines a rate card gave. */
export const FROM_CARD = 'priced_from_card';
