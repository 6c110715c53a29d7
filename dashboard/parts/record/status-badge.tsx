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

/** The first pattern that matches a status determines its tone. */
const TONES: readonly [RegExp, Tone][] = [
  [
    /^(paid|completed?|succeeded|approved|accepted|active|healthy|delivered|resolved|pass(ed)?|available|connected|refunded|done|read)$/,
    'good',
  ],
  [/^(failed|error|exhausted|rejected|denied|fail|needs_reauth|refused)$/, 'bad'],
  [
    /^(overdue|disputed|failing|expired|critical|warning|throttled|slow|short_paid|unused_for_30_days|unread|ready_to_bill)$/,
    'alert',
  ],
  [/^(draft|new|unassigned|dry_run)$/, 'draft'],
  [/^(sent|delivering|dispatched|submitted|sent_to_roadsync|viewed|invoiced|billed)$/, 'sent'],
  [/^(running|in_progress|started|syncing|assigned|on_job|en_route|busy|partially_paid|partial)$/, 'busy'],
  [
    /^(void(ed)?|cancel(l)?ed|dismissed|disabled|revoked|withdrawn|inactive|out_of_service|released|paused|stored_but_not_sent|not_billable)$/,
    'over',
  ],
];

/** Rewrites an API word for people: `partially_paid` becomes "Partially paid". */
export function humanize(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * A status as an icon and a word. The colour alone never carries the meaning. The badge is plain
 * HTML, because a list or the board shows up to sixty badges.
 * @param label replaces the word of the status
 */
export function StatusBadge({ status, label = humanize(status) }: { status: string; label?: string }) {
  const tone = TONES.find(([pattern]) => pattern.test(status))?.[1] ?? 'waiting';
  const Icon = ICONS[tone];
  return (
    <span className="badge">
      <Icon size={12} aria-hidden color={COLORS[tone]} />
      {label}
    </span>
  );
}
