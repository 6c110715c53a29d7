import { describeDrive } from '../../../shared/resources/trucks/current-drive.js';
import type {
  Progress,
  TrackedWorkOrder,
} from '../../../shared/resources/work-order-links/tracking-queries.js';
import { findFirstName } from './first-name.js';
import { formatTime } from './format-time.js';
import { describePosition, type PlanPoint } from './truck-position.js';

const STEPS = ['received', 'assigned', 'en_route', 'on_scene', 'towing', 'done'] as const;
type Step = (typeof STEPS)[number];

export const STEP_LABELS: Readonly<Record<Step, string>> = {
  received: 'Request received',
  assigned: 'Truck assigned',
  en_route: 'On the way to you',
  on_scene: 'At your vehicle',
  towing: 'Towing',
  done: 'Done',
};

/**
 * The progress of one step in the list. Each mark also has a word, because some people cannot
 * distinguish the colours.
 */
type StepMark = 'passed' | 'current' | 'ahead' | 'left_out';

const MARK_WORDS: Readonly<Record<StepMark, string>> = {
  passed: 'Done',
  current: 'Now',
  ahead: '',
  left_out: '',
};

interface ShownProgress {
  /** Undefined if the work order was cancelled. The page then shows no list of steps. */
  step: Step | undefined;
  headline: string;
}

const SHOWN: Readonly<Record<Progress, ShownProgress>> = {
  pending: { step: 'received', headline: 'We have your request. No truck is assigned yet.' },
  assigned: { step: 'assigned', headline: 'A truck is assigned to you.' },
  en_route: { step: 'en_route', headline: 'The truck is on the way to you.' },
  on_scene: { step: 'on_scene', headline: 'The truck is at your vehicle.' },
  towing: { step: 'towing', headline: 'Your vehicle is being towed.' },
  returning: { step: 'done', headline: 'The work is done.' },
  completed: { step: 'done', headline: 'The work is done.' },
  cancelled: { step: undefined, headline: 'This request was cancelled.' },
};

/** The states in which the motorist still waits for the truck. */
const WAITING: readonly Progress[] = ['pending', 'assigned', 'en_route'];

/** The changing part of the page. `/t/{token}/state` returns it as JSON. */
export interface TrackingState {
  state: Step | 'cancelled';
  /** True if the state cannot change any more. The page then stops its requests. */
  has_ended: boolean;
  /** The texts of the page by the name of their element. Null hides the element. */
  texts: {
    headline: string;
    eta: string | null;
    eta_in: string | null;
    truck: string | null;
    vehicle: string | null;
    position: string | null;
    updated: string;
  };
  /**
   * The estimated arrival. It is no member of `texts`, because a page that an earlier release has
   * rendered has no element for it, and looks for one for each text.
   */
  estimate: string | null;
  /** One mark and word for each step of the list. */
  steps: { mark: StepMark; word: string }[];
  plan: PlanPoint | null;
}

/** The part of the page that stays the same. */
export interface TrackingLetterhead {
  company: string;
  phone: string | null;
  greeting: string;
  isTest: boolean;
}

export function buildLetterhead(tracked: TrackedWorkOrder): TrackingLetterhead {
  const firstName = findFirstName(tracked.contact_name);
  return {
    company: tracked.company,
    phone: tracked.phone,
    greeting: firstName ? `Hello ${firstName}` : 'Hello',
    isTest: tracked.environment === 'sandbox',
  };
}

export function buildTrackingState(tracked: TrackedWorkOrder, now = new Date()): TrackingState {
  const { progress, time_zone: timeZone, unit_number: unitNumber, read_at: readAt } = tracked;
  const { step, headline } = SHOWN[progress];
  const eta = WAITING.includes(progress) ? tracked.eta : null;
  const position = tracked.position && describePosition(tracked.position);
  const vehicle = [tracked.vehicle_make, tracked.vehicle_model].filter(Boolean).join(' ');
  return {
    state: step ?? 'cancelled',
    has_ended: progress === 'completed' || progress === 'cancelled',
    texts: {
      headline,
      eta: eta && `Expected at ${formatTime(eta, { timeZone, now })}`,
      eta_in: eta && describeWait(eta, now),
      truck: unitNumber === null ? null : `Truck ${unitNumber}`,
      vehicle: vehicle === '' ? null : `Your vehicle: ${vehicle}`,
      position: position?.text ?? null,
      updated: `As of ${formatTime(readAt, { timeZone, now })}`,
    },
    estimate: describeEstimate(tracked, now),
    steps: markSteps(step, tracked.is_towed),
    plan: position?.plan ?? null,
  };
}

function markSteps(current: Step | undefined, isTowed: boolean): TrackingState['steps'] {
  const place = current === undefined ? -1 : STEPS.indexOf(current);
  return STEPS.map((step, index) => {
    const mark = markStep();
    return { mark, word: MARK_WORDS[mark] };

    function markStep(): StepMark {
      if (place < 0 || (step === 'towing' && !isTowed && current !== 'towing')) return 'left_out';
      if (index === place) return step === 'done' ? 'passed' : 'current';
      return index < place ? 'passed' : 'ahead';
    }
  });
}

/** Says when the truck arrives by distance and speed, and that the time is only an estimate. */
function describeEstimate({ drive, time_zone: timeZone }: TrackedWorkOrder, now: Date): string | null {
  const { estimated_arrival_at: arrival } = describeDrive(drive, now.getTime());
  if (!arrival) return null;
  const time = formatTime(arrival, { timeZone, now });
  return `Estimated arrival: about ${time}, ${formatWait(countMinutes(arrival, now))} from now. Estimated from the truck’s distance and speed, without traffic.`;
}

function describeWait(eta: Date, now: Date): string {
  const minutes = countMinutes(eta, now);
  return minutes <= 0 ? 'This time has passed.' : `In about ${formatWait(minutes)}`;
}

function countMinutes(until: Date, now: Date): number {
  return Math.ceil((until.getTime() - now.getTime()) / 60_000);
}

function formatWait(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const parts = [...(hours > 0 ? [`${hours} h`] : []), ...(rest > 0 ? [`${rest} min`] : [])];
  return parts.join(' ');
}
