import type { VehicleDefect, VehicleInspection } from '../contract/telematics.js';
import {
  isObject,
  readId,
  readLine,
  readText,
  readTime,
  type Unread,
} from '../contract/values/read-values.js';

/** Maximum number of defects of one report. */
const MAX_PARTS = 200;
/** Maximum number of titles that name one defect. */
const MAX_TITLES = 10;
const MAX_NAME_CHARS = 200;
const MAX_NOTES_CHARS = 5000;

/**
 * The states of a report whose defects need no repair any more. Motive does not publish the states,
 * so all others count as open: a person here can resolve a defect, but sees no missing one.
 */
const CLOSED = new Set<unknown>(['resolved', 'corrected', 'acceptable', 'harmless', 'satisfactory']);
/** The closed states that no report without defects gets. */
const REPAIRED = new Set<unknown>(['resolved', 'corrected']);
/** The states of a defect that needs no repair any more. */
const CLOSED_PARTS = new Set<unknown>(['repaired', 'no_repair_needed']);

interface RawPart {
  id: number;
  category: string;
  notes: string;
  type: string;
  status: string;
  defects: { title?: string; severity?: string }[];
  mechanic_details: object;
}

interface MechanicDetails {
  mechanic_name: string;
  mechanic_note: string;
  mechanic_signed_at: string;
}

/** An inspected part that has a defect. */
export interface DefectivePart {
  id: string | undefined;
  name: string;
  isMinor: boolean;
  isClosed: boolean;
  signedAt: string | null;
  mechanic: string | null;
  notes: string | null;
}

/** Lists the inspected parts that have a defect. */
export function listParts(parts: unknown): DefectivePart[] {
  return (Array.isArray(parts) ? parts : []).filter(isObject).flatMap(toPart).slice(0, MAX_PARTS);
}

function toPart(part: Unread<RawPart>): DefectivePart[] {
  const { type, status } = part;
  const defects = (Array.isArray(part.defects) ? part.defects : []).filter(isObject) as Unread<
    RawPart['defects'][number]
  >[];
  if (type === 'none' || status === 'good') return [];
  const isReported = type !== undefined && type !== null;
  const hasState = status === 'open' || CLOSED_PARTS.has(status);
  if (!isReported && !hasState && defects.length === 0) return [];
  const details: Unread<MechanicDetails> = isObject(part.mechanic_details) ? part.mechanic_details : {};
  const severities = defects.map(({ severity }) => severity);
  const titles = defects.slice(0, MAX_TITLES).flatMap(({ title }) => readLine(title, MAX_NAME_CHARS) ?? []);
  const about = titles.length > 0 ? titles.join(', ') : readLine(part.notes, MAX_NAME_CHARS);
  const names = [readLine(part.category, MAX_NAME_CHARS), about].flatMap((name) => name ?? []);
  return [
    {
      id: readId(part.id),
      name: names.join(': ').slice(0, MAX_NAME_CHARS).trim() || 'Defect',
      isMinor: isMinor(type, severities),
      isClosed: CLOSED_PARTS.has(status),
      signedAt: readTime(details.mechanic_signed_at),
      mechanic: readLine(details.mechanic_name, MAX_NAME_CHARS),
      notes: readText(details.mechanic_note, MAX_NOTES_CHARS),
    },
  ];
}

/** A defect whose severity is not known is not minor. */
function isMinor(type: unknown, severities: readonly unknown[]): boolean {
  if (type === 'major' || severities.some((severity) => severity === 'major')) return false;
  return type === 'minor' || (severities.length > 0 && severities.every((one) => one === 'minor'));
}

/**
 * Finds whether the vehicle may be driven. Motive has no such verdict: a vehicle is unsafe while it
 * is rejected, or while a defect that is not minor is open.
 */
export function findVerdict({
  status,
  isRejected,
  parts,
}: {
  status: unknown;
  isRejected: boolean;
  parts: readonly DefectivePart[];
}): { verdict: VehicleInspection['verdict']; isClosed: boolean } {
  const isClosed = CLOSED.has(status);
  const serious = parts.filter((part) => !part.isMinor);
  if (!isRejected && serious.length === 0) {
    // The report no longer shows what was repaired.
    const isRepaired = parts.length === 0 && REPAIRED.has(status);
    return { verdict: isRepaired ? 'resolved' : 'safe', isClosed };
  }
  const isResolved = isClosed || (!isRejected && serious.every((part) => part.isClosed));
  return { verdict: isResolved ? 'resolved' : 'unsafe', isClosed };
}

/** @param closure whether the whole report is closed, and the time of its last change */
export function toDefect(
  part: DefectivePart,
  closure: { isClosed: boolean; changedAt: string | undefined },
): VehicleDefect[] {
  const { id, name, isClosed, signedAt, mechanic } = part;
  if (id === undefined) return [];
  if (!isClosed && !closure.isClosed)
    return [{ externalId: id, component: name, resolvedAt: null, resolvedBy: null }];
  const resolvedAt = signedAt ?? closure.changedAt ?? new Date().toISOString();
  return [{ externalId: id, component: name, resolvedAt, resolvedBy: mechanic }];
}

/** Returns the notes of mechanics. */
export function readNotes(parts: readonly DefectivePart[]): string | null {
  const notes = new Set(parts.flatMap((part) => part.notes ?? []));
  return readText([...notes].join('\n'), MAX_NOTES_CHARS);
}
