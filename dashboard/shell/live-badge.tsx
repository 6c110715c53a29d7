import { Badge } from '@mantine/core';
import { RefreshCw, Wifi, WifiOff } from 'lucide-react';
import { useLiveState } from '../api/live';
import { Tip } from '../parts/basics/tip';

const STATES = {
  connecting: { word: 'Connecting', icon: RefreshCw, hint: 'Changes will be shown as they happen.' },
  connected: { word: 'Connected', icon: Wifi, hint: 'Changes are shown as they happen.' },
  reconnecting: {
    word: 'Reconnecting',
    icon: RefreshCw,
    hint: 'The connection was lost. It is being opened again.',
  },
  polling: {
    word: 'Polling',
    icon: WifiOff,
    hint: 'There is no live connection. The page reads again every 30 seconds.',
  },
} as const;

/** Shows whether the page receives changes immediately. */
export function LiveBadge() {
  const { word, icon: Icon, hint } = STATES[useLiveState()];
  return (
    <Tip label={hint}>
      <Badge leftSection={<Icon size={12} aria-hidden />} role="status" visibleFrom="xs">
        {word}
      </Badge>
    </Tip>
  );
}
