import { isIP } from 'node:net';
import { isLoopback } from '../outbound/addresses.js';
import { isLocalhost } from '../outbound/target.js';
import type { ProcessKind } from './config-contradictions.js';
import type { Settings } from './generated.js';
import { findMisspelledSettings } from './misspelled-settings.js';

/** Returns one sentence per doubtful setting, with advice. */
export function findSettingsWarnings(
  kind: ProcessKind,
  settings: Settings,
  environment: Record<string, string | undefined>,
): string[] {
  return [...findMisspelledSettings(environment), ...exposureWarnings(kind, settings)];
}

/**
 * Warns outside production if other machines can connect, because sessions then travel without TLS
 * and webhooks may call this machine. Workers and releases serve no clients, so they get no
 * warning.
 */
function exposureWarnings(kind: ProcessKind, { HOST, NODE_ENV }: Settings): string[] {
  if (kind === 'worker' || kind === 'release' || NODE_ENV === 'production') return [];
  if (isIP(HOST) ? isLoopback(HOST) : isLocalhost(HOST)) return [];
  return [
    `HOST=${HOST} lets other machines in, but NODE_ENV is not production: sessions travel without TLS, and webhooks may call this machine. ` +
      'Unset HOST, or set NODE_ENV=production.',
  ];
}
