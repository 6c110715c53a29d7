import { newKey } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { humanize } from '../../../parts/record/status-badge';
import { parseCents } from '../../../parts/values/money';

export type RateCard = Schemas['RateCard'];
export type CardInput = Schemas['RateCardCreate'];

/** An item of a rate card while a person types it. */
export interface ItemDraft {
  /** Identifies the item when a person removes another one. */
  key: string;
  category: string;
  name: string;
  /** Empty for any service. */
  service_type: string;
  unit_type: string;
  unit_price_cents: number | undefined;
  included_quantity: string;
  /** An amount in dollars as text. Empty for no minimum. */
  minimum: string;
  after_hours: boolean;
  taxable: boolean;
}

/** A version of a rate card while a person types it. */
export interface CardDraft {
  name: string;
  effective_from: string;
  is_default: boolean;
  start: string;
  end: string;
  weekends: boolean;
  items: ItemDraft[];
}

/** The after-hours window that the API uses by default. */
const AFTER_HOURS = { start: '18:00', end: '08:00', weekends: true };
const FIRST_CATEGORY = 'hook_up';

export function createItem(): ItemDraft {
  return {
    key: newKey(),
    category: FIRST_CATEGORY,
    name: humanize(FIRST_CATEGORY),
    service_type: '',
    unit_type: 'flat',
    unit_price_cents: undefined,
    included_quantity: '0',
    minimum: '',
    after_hours: false,
    taxable: false,
  };
}

/** @param today the first day of the new card */
export function createDraft(today: string): CardDraft {
  return { name: '', effective_from: today, is_default: false, ...AFTER_HOURS, items: [createItem()] };
}

/**
 * Returns a draft of the card's next version, with the same prices. It begins today, or with the
 * card if the card begins later.
 */
export function createNextDraft(card: RateCard, today: string): CardDraft {
  return {
    name: card.name,
    effective_from: card.effective_from > today ? card.effective_from : today,
    is_default: card.is_default,
    ...card.after_hours_window,
    items: card.items.map(({ minimum_cents: minimum, ...item }) => ({
      ...item,
      key: newKey(),
      service_type: item.service_type ?? '',
      included_quantity: String(item.included_quantity),
      minimum: minimum === null ? '' : (minimum / 100).toFixed(2),
    })),
  };
}

/** Changes the category. Also changes the name, unless the person has typed a name. */
export function withCategory(item: ItemDraft, category: string): ItemDraft {
  const isNameTyped = item.name !== '' && item.name !== humanize(item.category);
  return { ...item, category, name: isNameTyped ? item.name : humanize(category) };
}

export function isMinimumValid({ minimum }: ItemDraft): boolean {
  return minimum.trim() === '' || parseCents(minimum) !== undefined;
}

/** True once the server can check the draft without reporting fields that are still empty. */
export function isFinished({ name, effective_from: from, start, end, items }: CardDraft): boolean {
  const isTyped = [name, from, start, end].every((text) => text.trim() !== '');
  return isTyped && items.every((item) => item.unit_price_cents !== undefined && isMinimumValid(item));
}

/**
 * Returns the card in the API's format. Omits empty members, so that the API reports them as
 * missing or uses their default.
 */
export function toInput({ items, start, end, weekends, ...card }: CardDraft): CardInput {
  return { ...card, after_hours_window: { start, end, weekends }, items: items.map(toItemInput) };
}

function toItemInput({ key: _, minimum, ...item }: ItemDraft): CardInput['items'][number] {
  const included = item.included_quantity.trim();
  const input = {
    ...item,
    name: item.name.trim() === '' ? undefined : item.name,
    service_type: item.service_type === '' ? null : item.service_type,
    included_quantity: included === '' ? undefined : Number(included),
    minimum_cents: minimum.trim() === '' ? null : parseCents(minimum),
  };
  return input as CardInput['items'][number];
}
