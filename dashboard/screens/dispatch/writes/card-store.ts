import { useSyncExternalStore } from 'react';
import type { Problem } from '../../../api/problem';

/** The dispatcher's unfinished choice on a card, and the result of its last write. */
export interface CardState {
  /** The truck chosen in the select. Undefined if no truck is chosen. */
  truckId?: string;
  /** True until the write is stored or has failed. */
  isRunning?: boolean;
  /** The reason why the last write failed. */
  problem?: Problem;
}

/** A write that a dialog confirms first. */
export interface Question {
  kind: 'unassign' | 'complete';
  workOrderId: string;
}

export const UNTOUCHED: CardState = {};

/**
 * The state of the cards, kept outside React's tree. A card must keep the dispatcher's choice when
 * a colleague's assignment moves it to another column. The drawer shows the same state.
 */
let cards: ReadonlyMap<string, CardState> = new Map();
let announcement = '';
let question: Question | undefined;
let movedId: string | undefined;
const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the states of all cards with an unfinished choice, a running write or a problem. */
export function useCardStates(): ReadonlyMap<string, CardState> {
  return useSyncExternalStore(subscribe, () => cards);
}

export function readCardState(workOrderId: string): CardState {
  return cards.get(workOrderId) ?? UNTOUCHED;
}

export function changeCard(
  workOrderId: string,
  patch: { [Key in keyof CardState]?: CardState[Key] | undefined },
): void {
  const merged = Object.entries({ ...cards.get(workOrderId), ...patch });
  const state: CardState = Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  const changed = new Map(cards);
  if (Object.keys(state).length === 0) changed.delete(workOrderId);
  else changed.set(workOrderId, state);
  cards = changed;
  notify();
}

/** Returns a text about the last action or refusal, for the live region. */
export function useAnnouncement(): string {
  return useSyncExternalStore(subscribe, () => announcement);
}

export function announce(text: string): void {
  announcement = text;
  notify();
}

export function useQuestion(): Question | undefined {
  return useSyncExternalStore(subscribe, () => question);
}

export function ask(next: Question | undefined): void {
  question = next;
  notify();
}

/**
 * Remembers which card a write is about to move, so that the focus can follow the card. Undefined
 * forgets the card.
 */
export function followMove(workOrderId: string | undefined): void {
  movedId = workOrderId;
}

/** Returns true only once, and only for the card that a write has just moved. */
export function takeMove(workOrderId: string): boolean {
  if (movedId !== workOrderId) return false;
  movedId = undefined;
  return true;
}
