import { useSyncExternalStore } from 'react';
import type { Problem } from '../../../api/problem';

/** What the dispatcher has begun on a work order, and what became of it. */
export interface CardState {
  /** The truck chosen in the select; undefined if none was chosen. */
  truckId?: string;
  /** True until the write is stored or has failed. */
  isRunning?: boolean;
  /** Why the last write failed. */
  problem?: Problem;
}

/** A write that a dialog asks about first. */
export interface Question {
  kind: 'unassign' | 'complete';
  workOrderId: string;
}

const UNTOUCHED: CardState = {};

/**
 * The state of the cards. It is kept outside React's tree. A card must keep the dispatcher's choice
 * when it moves to another column, because somebody else has assigned the work order. The drawer
 * shows the same state.
 */
const cards = new Map<string, CardState>();
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

export function useCardState(workOrderId: string): CardState {
  return useSyncExternalStore(subscribe, () => cards.get(workOrderId) ?? UNTOUCHED);
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
  if (Object.keys(state).length === 0) cards.delete(workOrderId);
  else cards.set(workOrderId, state);
  notify();
}

/** Returns a text about the last thing that was done or refused, for the live region. */
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
 * Remembers the card that a write is about to move, so that the focus can follow it; or forgets it.
 */
export function followMove(workOrderId: string | undefined): void {
  movedId = workOrderId;
}

/** True once for the card that a write has just moved. */
export function takeMove(workOrderId: string): boolean {
  if (movedId !== workOrderId) return false;
  movedId = undefined;
  return true;
}
