import { toAmount, toCents } from '../contract/books/money.js';
import type { OpenConnection } from '../contract/connection.js';
import {
  type ClubClaim,
  type ClubClaimState,
  type ClubStatus,
  findDenialCode,
  type MotorClubSettings,
} from '../contract/motor-club.js';
import { readOwnId } from '../contract/read-own-id.js';

/** The custom fields that mark an invoice as ours, and name its purchase order. */
export const CLAIM_FIELD = 'tow_dispatch_claim';
export const PO_FIELD = 'po_number';

/** RoadSync publishes no limits of texts. */
const MAX_TEXT = 200;
const MAX_COMMENTS = 2000;
const MAX_CENTS = 1e11;

/** The parts of RoadSync's invoice that the adapter reads. */
export interface RoadSyncInvoice {
  id: string;
  status: string;
  isVoid: boolean;
  state: ClubClaimState;
  claimId: string | null;
  /** True if all files of the claim were attached. */
  hasFiles: boolean;
}

/** Builds the value of {@link CLAIM_FIELD}. Each attempt has a value of its own. */
export function buildClaimMark({ claimId, attempt }: { claimId: string; attempt: number }): string {
  return `${claimId}/${attempt}`;
}

export function toCreation({ credentials, settings }: OpenConnection, claim: ClubClaim): object {
  const { name, email, phone } = claim.payer;
  const po = claim.poNumber === null ? '' : `PO ${claim.poNumber}, `;
  const comments = buildComments(settings, claim);
  return {
    companyId: credentials.company_id,
    locationId: credentials.location_id,
    name: name.slice(0, MAX_TEXT),
    ...(email === null ? {} : { email }),
    ...(toPhone(phone) === undefined ? {} : { phone: toPhone(phone) }),
    description: `${po}invoice ${claim.invoiceNumber}`.slice(0, MAX_TEXT),
    ...(comments === '' ? {} : { comments }),
    lineItems: claim.lines.map(({ description, amountCents }, displayOrder) => ({
      description: description.slice(0, MAX_TEXT),
      amount: toAmount(amountCents),
      // The tax is a line of its own, so that RoadSync adds none.
      isTaxable: false,
      displayOrder,
    })),
    customFields: {
      [CLAIM_FIELD]: buildClaimMark(claim),
      ...(claim.poNumber === null ? {} : { [PO_FIELD]: claim.poNumber }),
    },
  };
}

/** Begins the line of the comments that shows that all files were attached. */
const ATTACHED = 'Files attached: ';

/**
 * Builds the comments of an invoice.
 * @param fileCount the number of attached files, once all were attached. RoadSync does not list
 *   files, so this line keeps a repetition from attaching them again
 */
export function buildComments(
  settings: OpenConnection['settings'],
  { evidenceUrls }: Pick<ClubClaim, 'evidenceUrls'>,
  fileCount?: number,
): string {
  const { terms } = settings as MotorClubSettings;
  return [
    ...(fileCount === undefined ? [] : [`${ATTACHED}${fileCount}`]),
    ...(terms ? [terms] : []),
    ...evidenceUrls.map((url) => `Evidence: ${url}`),
  ]
    .join('\n')
    .slice(0, MAX_COMMENTS);
}

/** Returns the ten digits of a number in the United States or Canada, as RoadSync's examples. */
export function toPhone(phone: string | null): string | undefined {
  const digits = phone?.replace(/\D/g, '').replace(/^1(?=\d{10}$)/, '') ?? '';
  return digits.length === 10 ? digits : undefined;
}

/** What RoadSync's statuses mean. Any other status is ignored. */
const STATUSES: ReadonlyMap<string, ClubStatus> = new Map([
  ['new', 'sending'],
  ['processing', 'sending'],
  ['sent', 'sent'],
  ['waitingapproval', 'sent'],
  ['pendingreview', 'sent'],
  ['validated', 'sent'],
  ['accepted', 'accepted'],
  ['completed', 'paid'],
  ['markedaspaid', 'paid'],
  ['failed', 'denied'],
  ['rejected', 'denied'],
  ['validatedandfailed', 'denied'],
]);

/** Reads an invoice. Returns undefined if it is none, because vendors may send anything. */
export function readInvoice(
  { settings }: Pick<OpenConnection, 'settings'>,
  value: unknown,
): RoadSyncInvoice | undefined {
  if (!isObject(value)) return undefined;
  const { id, status } = value;
  if (typeof id !== 'string' || id === '' || id.length > 200) return undefined;
  const statusText = typeof status === 'string' ? status.toLowerCase() : '';
  const isVoid = value.void === true;
  const fields = isObject(value.customFields) ? value.customFields : {};
  const reason = readText(value.failedReason);
  const [claimId = '', attempt = ''] = (readText(fields[CLAIM_FIELD]) ?? '').split('/');
  return {
    id,
    status: statusText,
    isVoid,
    claimId: readOwnId(claimId),
    hasFiles: readText(value.comments)?.startsWith(ATTACHED) ?? false,
    state: {
      status: isVoid ? 'void' : (STATUSES.get(statusText) ?? 'unknown'),
      attempt: /^[1-9]$/.test(attempt) ? Number(attempt) : null,
      amountCents: readAmount(value),
      poNumber: readText(fields[PO_FIELD]),
      reason,
      code: findDenialCode(settings, reason),
      number: readText(value.invoiceNumber),
    },
  };
}

/**
 * Reads the amount of an invoice. `grandTotal` is a whole number in RoadSync's document, so the
 * cents are those of the lines. If both differ by a dollar or more, `grandTotal` counts, unless it
 * is the sum of the lines in cents.
 */
function readAmount({ grandTotal, lineItems }: Record<string, unknown>): number | null {
  const total = readCents(grandTotal);
  const lines = Array.isArray(lineItems) ? lineItems.map((line) => readCents(Object(line).amount)) : [];
  if (lines.length === 0 || lines.includes(null)) return total;
  const sum = lines.reduce<number>((all, cents) => all + (cents ?? 0), 0);
  return total === null || Math.abs(total - sum) < 100 || grandTotal === sum ? sum : total;
}

function readCents(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return Math.abs(value) * 100 > MAX_CENTS ? null : toCents(value);
}

function readText(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return String(value).slice(0, MAX_TEXT * 10) || null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The reasons for which RoadSync voids an invoice, by the words of a person's reason. */
const VOID_REASONS: readonly [words: RegExp, reason: string][] = [
  [/duplicate|twice/i, 'duplicate'],
  [/fraud/i, 'fraudulent'],
  [/amount|price|wrong total/i, 'incorrectamount'],
  [/prepaid/i, 'prepaidcontract'],
  [/driver left/i, 'driverleft'],
  [/unable|gone on arrival|\bgoa\b/i, 'unabletoservice'],
  [/customer|motorist|club/i, 'requestedbycustomer'],
];

export function toVoidReason(reason: string): string {
  return VOID_REASONS.find(([words]) => words.test(reason))?.[1] ?? 'unknown';
}
