import { type ReactNode, useState } from 'react';
import type { AnyKey, KeyWithSecret } from './key-record';
import { KeySecret, type NewSecret } from './key-secret';
import { RevokeKey, type SendRevoke } from './revoke-key';
import { RollKey, type SendRoll } from './roll-key';

/** The dialog that is open over a list of keys. */
type OpenDialog =
  | { name: 'create' }
  | { name: 'roll' | 'revoke'; key: AnyKey }
  | { name: 'secret'; secret: NewSecret };

/**
 * Returns the dialogs of a list of keys, and the functions that open them. Only one dialog is open
 * at a time. A new secret exists only in this state, until the person closes its dialog.
 */
export function useKeyDialogs({
  name,
  sendRoll,
  sendRevoke,
  usage,
  create,
}: {
  /** The kind of key, such as "API key". */
  name: string;
  sendRoll: SendRoll;
  sendRevoke: SendRevoke;
  /** Renders instructions for using a new key, such as a command. */
  usage: (key: string) => ReactNode;
  create: (then: { onCreated: (created: KeyWithSecret) => void; onClose: () => void }) => ReactNode;
}) {
  const [open, setOpen] = useState<OpenDialog>();
  const onClose = () => setOpen(undefined);
  const showSecret = (secret: NewSecret) => setOpen({ name: 'secret', secret });
  const dialogs = (
    <>
      {open?.name === 'create' && create({ onCreated: (created) => showSecret({ created }), onClose })}
      {open?.name === 'roll' && (
        <RollKey
          value={open.key}
          send={sendRoll}
          onRolled={(created, overlapHours) => showSecret({ created, overlapHours })}
          onClose={onClose}
        />
      )}
      {open?.name === 'revoke' && <RevokeKey value={open.key} send={sendRevoke} onClose={onClose} />}
      {open?.name === 'secret' && (
        <KeySecret name={name} value={open.secret} usage={usage} onClose={onClose} />
      )}
    </>
  );
  return {
    dialogs,
    openCreate: () => setOpen({ name: 'create' }),
    openRoll: (key: AnyKey) => setOpen({ name: 'roll', key }),
    openRevoke: (key: AnyKey) => setOpen({ name: 'revoke', key }),
  };
}
