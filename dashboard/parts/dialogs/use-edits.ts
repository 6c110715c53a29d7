import { useState } from 'react';

/**
 * What a person has typed over a record. Only the members that the person changed are kept and
 * sent, so that saving again after a 412 keeps what somebody else wrote into the others.
 */
export function useEdits<Fields extends object>(record: Fields) {
  const [edits, setEdits] = useState<Partial<Fields>>({});
  return {
    /** The record with what was typed. */
    draft: { ...record, ...edits },
    /** The members that were typed and differ from the record. */
    edits: Object.fromEntries(
      Object.entries(edits).filter(([name, value]) => value !== record[name as keyof Fields]),
    ) as Partial<Fields>,
    edit: (patch: Partial<Fields>) => setEdits((before) => ({ ...before, ...patch })),
  };
}
