import { ActionIcon } from '@mantine/core';
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { areSingleKeysOn } from '../../parts/basics/key-settings';
import { Tip } from '../../parts/basics/tip';

const Palette = lazy(async () => ({ default: (await import('./palette')).Palette }));
const KeyHelp = lazy(async () => ({ default: (await import('./key-help')).KeyHelp }));

/**
 * The search button of the header, and the keys that work on every screen: Ctrl+K or ⌘K, and `?`.
 */
export function Shortcuts() {
  const [open, setOpen] = useState<'palette' | 'help'>();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setOpen('palette');
      } else if (event.key === '?' && areSingleKeysOn() && !isTyping(event.target)) {
        setOpen('help');
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const close = () => setOpen(undefined);
  return (
    <>
      <Tip label="Find (Ctrl+K or ⌘K)">
        <ActionIcon variant="default" size="md" aria-label="Find" onClick={() => setOpen('palette')}>
          <Search size={16} aria-hidden />
        </ActionIcon>
      </Tip>
      <Suspense>
        {open === 'palette' && <Palette onClose={close} onHelp={() => setOpen('help')} />}
        {open === 'help' && <KeyHelp onClose={close} />}
      </Suspense>
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}
