import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { EXTENDED_RETENTION, type ExpiryRule } from '../../records/expiry.js';
import { recordsetSql } from '../../records/record-refs.js';
import type { LinkKind } from './link-token.js';

/** The placeholder for the link in a mail's text. It is the only text on its line. */
export const LINK_PLACE = '{link}';
/**
 * Matches {@link LINK_PLACE} only as a whole line, because a name that people chose may contain the
 * same text.
 */
export const LINK_PLACE_LINE = /^\{link\}$/m;

export type AccessMailKind =
  | 'invitation'
  | 'password_reset'
  | 'password_changed'
  | 'sign_up'
  /** A request that the worker turns into mails of the kind `password_reset`. */
  | 'reset_request';

/** The kind of link in each kind of mail that contains one. */
export const LINK_KINDS: Readonly<Partial<Record<AccessMailKind, LinkKind>>> = {
  invitation: 'invitation',
  password_reset: 'password-reset',
  sign_up: 'verify',
};

export interface NewAccessMail {
  tenant_id: string;
  kind: AccessMailKind;
  recipient: string;
  subject?: string;
  body_text?: string;
  /** The record whose link replaces {@link LINK_PLACE}. */
  link_id?: string;
  /** Only in a reset request: the network that sent the request. */
  network?: string;
  /**
   * Only in a reset mail: true if the person had signed in from the network that requested the
   * reset.
   */
  is_known?: boolean;
}

/** Stores mails, which the worker then sends. Returns their ids. */
export async function insertAccessMails(tx: Transaction, mails: readonly NewAccessMail[]): Promise<string[]> {
  const rows = mails.map((mail) => ({ subject: '', body_text: '', ...mail, id: newId() }));
  if (rows.length === 0) return [];
  await tx.query({
    name: 'insert-access-mails',
    text: `insert into access_mails (tenant_id, id, kind, recipient, subject, body_text, link_id, network, is_known)
           select tenant_id, id, kind, recipient, subject, body_text, link_id, network, is_known
           from ${recordsetSql('tenant_id uuid, id uuid, kind text, recipient text, subject text, body_text text, link_id uuid, network text, is_known boolean')}`,
    values: [JSON.stringify(rows)],
  });
  return rows.map(({ id }) => id);
}

/**
 * Makes a name that people chose safe for the subject of a mail. Removes line breaks, and breaks up
 * links, because mail programs would make them clickable.
 */
export function toOneLine(text: string): string {
  return text.replace(/:\/\//g, ' ').replace(/www\./gi, 'www ').replace(/\s+/g, ' ').trim();
}

export const EXPIRED_ACCESS_MAILS: ExpiryRule = {
  table: 'access_mails',
  condition: `o.state <> 'queued' and o.created_at < now() - ${EXTENDED_RETENTION}`,
};
