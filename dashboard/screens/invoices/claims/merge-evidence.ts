import type { Evidence } from './evidence-fields';

/**
 * Merges a colleague's changes of the evidence into the person's list, by link. So the next save
 * does not drop a piece that the colleague has added.
 * @param before the evidence that the person's edits started from
 * @param newest the evidence that is stored
 * @param edited the person's list
 */
export function mergeEvidence(
  before: readonly Evidence[],
  newest: readonly Evidence[],
  edited: readonly Evidence[],
): Evidence[] {
  const stored = byUrl(newest);
  const started = byUrl(before);
  const kept = edited.flatMap((piece) => {
    const old = started.get(piece.url);
    const isUntouched = old?.kind === piece.kind && (old.note ?? null) === (piece.note ?? null);
    if (!isUntouched) return [piece];
    return stored.get(piece.url) ?? [];
  });
  const shown = byUrl(edited);
  return [...kept, ...newest.filter(({ url }) => !started.has(url) && !shown.has(url))];
}

function byUrl(pieces: readonly Evidence[]): ReadonlyMap<string, Evidence> {
  return new Map(pieces.map((piece) => [piece.url, piece]));
}
