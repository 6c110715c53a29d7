import type { DriverState } from '../../api/public/driver/driver-contract.js';
import { button, el } from './dom.js';
import type { PageEvents, View } from './view.js';

type Checklist = DriverState['checklist'];

const RESULTS = {
  pass: 'Passed',
  pass_with_defects: 'Passed with defects',
  out_of_service: 'Out of service',
};
const SEVERITIES = [
  ['minor', 'Minor: can drive'],
  ['major', 'Major: repair soon'],
  ['out_of_service', 'Out of service: cannot drive'],
] as const;

/**
 * The controls for one item of the checklist. The item is fine, or has a defect with a severity.
 */
interface ItemControl {
  key: string;
  label: string;
  element: HTMLElement;
  ok: HTMLInputElement;
  defect: HTMLInputElement;
  severity: HTMLSelectElement;
  note: HTMLInputElement;
}

/** The form for a pre-trip inspection of the truck. */
export class InspectionForm {
  readonly element: HTMLElement;
  readonly #summary = el('summary');
  readonly #items = el('div');
  readonly #odometer = el('input', {
    id: 'odometer',
    type: 'number',
    inputmode: 'numeric',
    min: '0',
    max: '9999999',
  });
  readonly #fault = el('p', { class: 'warning', role: 'alert', hidden: true });
  readonly #details: HTMLDetailsElement;
  readonly #take: PageEvents['take'];
  #controls: ItemControl[] = [];

  constructor(take: PageEvents['take']) {
    this.#take = take;
    this.#details = el(
      'details',
      {},
      this.#summary,
      button('All fine', () => {
        for (const control of this.#controls) setState(control, 'ok');
      }),
      this.#items,
      el('label', { for: 'odometer' }, 'Odometer in miles (optional)'),
      this.#odometer,
      this.#fault,
      button('Save inspection', () => void this.#save()),
    );
    this.element = el('section', {}, el('h2', {}, 'Pre-trip inspection'), this.#details);
  }

  update({ state: { checklist, inspection }, stored }: View): void {
    const isWaiting = stored.some(({ action, refused }) => action.kind === 'inspection' && refused === null);
    const result = inspection
      ? `${RESULTS[inspection.result]}, ${formatTime(inspection.at)}`
      : 'Not done in this shift';
    this.#summary.textContent = isWaiting ? 'Waiting to be sent' : result;
    if (this.#controls.length === 0) this.#build(checklist);
  }

  #build(checklist: Checklist): void {
    this.#controls = checklist.map(createControl);
    this.#items.replaceChildren(...this.#controls.map(({ element }) => element));
  }

  async #save(): Promise<void> {
    const open = this.#controls.find(({ ok, defect }) => !ok.checked && !defect.checked);
    this.#fault.hidden = !open;
    if (open) {
      this.#fault.textContent = `Say whether ${open.label} is fine.`;
      return open.ok.focus();
    }
    if (!this.#odometer.reportValidity()) return;
    const defective = this.#controls.filter(({ defect }) => defect.checked);
    const miles = this.#odometer.value;
    await this.#take({
      kind: 'inspection',
      items: this.#controls.map(({ key, label, defect, note }) => ({
        key,
        label,
        state: defect.checked ? ('fail' as const) : ('ok' as const),
        note: note.value.trim() || null,
      })),
      defects: defective.map(({ label, severity }) => ({
        component: label,
        severity: severity.value as (typeof SEVERITIES)[number][0],
      })),
      ...(miles === '' ? {} : { odometer_miles: Math.round(Number(miles)) }),
    });
    const hadFocus = this.#details.contains(document.activeElement);
    this.#details.open = false;
    if (hadFocus) this.#summary.focus();
    for (const control of this.#controls) setState(control, undefined);
  }
}

function createControl({ key, label }: Checklist[number]): ItemControl {
  const radio = (value: string) =>
    el('input', { type: 'radio', name: `item-${key}`, value, id: `item-${key}-${value}` });
  const ok = radio('ok');
  const defect = radio('defect');
  const severity = el('select', { 'aria-label': `Severity: ${label}` });
  severity.append(...SEVERITIES.map(([value, text]) => el('option', { value }, text)));
  const note = el('input', {
    type: 'text',
    maxlength: '500',
    'aria-label': `What is wrong: ${label}`,
    placeholder: 'What is wrong',
  });
  const more = el('div', { class: 'more', hidden: true }, severity, note);
  const choice = (input: HTMLInputElement, text: string) =>
    el('span', { class: 'choice' }, input, el('label', { for: input.id }, text));
  const element = el(
    'fieldset',
    {},
    el('legend', {}, label),
    choice(ok, 'OK'),
    choice(defect, 'Defect'),
    more,
  );
  element.addEventListener('change', () => {
    more.hidden = !defect.checked;
  });
  return { key, label, element, ok, defect, severity, note };
}

function setState({ element, ok, defect, note }: ItemControl, state: 'ok' | undefined): void {
  ok.checked = state === 'ok';
  defect.checked = false;
  note.value = '';
  element.dispatchEvent(new Event('change'));
}

const formatTime = (at: string) =>
  new Date(at).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
