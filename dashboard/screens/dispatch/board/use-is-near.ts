import { type RefObject, useEffect, useState } from 'react';

/** How far outside the visible part of its column a card or a truck still counts as near. */
const MARGIN = '320px 0px';

/** One observer per column, which is cheaper than one per card. */
const observers = new WeakMap<Element, IntersectionObserver>();
const listeners = new WeakMap<Element, () => void>();

/**
 * Returns true once the card or truck that contains the element has been in or near the visible
 * part of its column. Cards and trucks render form fields only then. Chromium's autofill reads all
 * form fields of a page, and would otherwise lay out each card outside the view, for 1 ms each.
 */
export function useIsNear(ref: RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const card = ref.current?.closest('li');
    const column = card?.closest('.dispatch-column, .dispatch-rail');
    if (!card || !column || isNear) return;
    const observer = observers.get(column) ?? createObserver(column);
    listeners.set(card, () => setNear(true));
    observer.observe(card);
    return () => observer.unobserve(card);
  }, [ref, isNear]);
  return isNear;
}

function createObserver(column: Element): IntersectionObserver {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) listeners.get(target)?.();
    },
    { root: column, rootMargin: MARGIN },
  );
  observers.set(column, observer);
  return observer;
}
