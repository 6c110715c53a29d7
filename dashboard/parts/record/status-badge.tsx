import { Badge } from '@mantine/core';
import { Ban, Check, CircleAlert, CircleDashed, Clock, type LucideIcon, Pencil, Send, X } from 'lucide-react';

type Tone = 'good' | 'bad' | 'waiting' | 'busy' | 'draft' | 'sent' | 'over' | 'alert';

const ICONS: Record<Tone, LucideIcon> = {
  good: Check,
  bad: X,
  waiting: Clock,
  busy: CircleDashed,
  draft: Pencil,
  sent: Send,
  over: Ban,
  alert: CircleAlert,
};

const COLORS: Record<Tone, string> = {
  good: 'var(--tone-good)',
  bad: 'var(--tone-bad)',
  alert: 'var(--tone-alert)',
  waiting: 'var(--tone-plain)',
  busy: 'var(--tone-busy)',
  draft: 'var(--tone-plain)',
  sent: 'var(--tone-busy)',
  over: 'var(--tone-plain)',
};

/** Which tone a status has, by patterns of its words. */
const TONES: readonly [RegExp, Tone][] = [
  [
    /^(paid|completed?|succeeded|approved|accepted|active|healthy|delivered|resolved|pass(ed)?|available|connected|refunded)$/,
    'good',
  ],
  [/^(failed|error|exhausted|rejected|denied|fail|needs_reauth|refused)$/, 'bad'],
  [/^(overdue|disputed|failing|expired|critical|warning|throttled|slow|short_paid)$/, 'alert'],
  [/^(draft|new|unassigned)$/, 'draft'],
  [/^(sent|delivering|dispatched|submitted|sent_to_roadsync|viewed)$/, 'sent'],
  [/^(running|in_progress|started|syncing|assigned|on_job|en_route|busy|partially_paid|partial)$/, 'busy'],
  [
    /^(void(ed)?|cancel(l)?ed|dismissed|disabled|revoked|withdrawn|inactive|out_of_service|released|paused)$/,
    'over',
  ],
];

/** "partially_paid" becomes "Partially paid". */
export function humanize(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A status as an icon and a word, never as a colour alone. */
export function StatusBadge({ status }: { status: string }) {
  const tone = TONES.find(([pattern]) => pattern.test(status))?.[1] ?? 'waiting';
  const Icon = ICONS[tone];
  return <Badge leftSection={<Icon size={12} aria-hidden color={COLORS[tone]} />}>{humanize(status)}</Badge>;
}
