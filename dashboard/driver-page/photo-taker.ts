import type { DriverState } from '../../api/public/driver/driver-contract.js';
import { el } from './dom.js';
import { shrinkPhoto } from './photo.js';
import type { PageEvents, View } from './view.js';

/** Takes photos with the phone's camera, or from its gallery. */
export class PhotoTaker {
  readonly element: HTMLElement;
  readonly #count = el('p');
  readonly #fault = el('p', { class: 'warning', role: 'alert', hidden: true });
  readonly #input = el('input', {
    id: 'photo',
    type: 'file',
    accept: 'image/*',
    multiple: true,
    class: 'visually-hidden',
  });
  readonly #take: PageEvents['take'];
  #limits: DriverState['photos'] | undefined;

  constructor(take: PageEvents['take']) {
    this.#take = take;
    this.#input.addEventListener('change', () => void this.#read());
    this.element = el(
      'section',
      {},
      el('h2', {}, 'Photos'),
      this.#count,
      this.#fault,
      // The input comes first, so that CSS can show its focus on the label.
      this.#input,
      el('label', { for: 'photo', class: 'button' }, 'Add photos'),
    );
  }

  update({ state: { photos }, stored }: View): void {
    this.#limits = photos;
    const waiting = stored.filter(
      ({ action, refused }) => action.kind === 'photo' && refused === null,
    ).length;
    const sent = `${photos.stored} of ${photos.max} photos sent`;
    this.#count.textContent = waiting > 0 ? `${sent}, ${waiting} waiting` : sent;
  }

  async #read(): Promise<void> {
    const limits = this.#limits;
    if (!limits) return;
    const files = [...(this.#input.files ?? [])];
    this.#input.value = '';
    this.#fault.hidden = true;
    for (const file of files) {
      try {
        const { type, data } = await shrinkPhoto(file, limits);
        await this.#take({ kind: 'photo', type, data });
      } catch (error) {
        this.#fault.hidden = false;
        this.#fault.textContent = (error as Error).message;
      }
    }
  }
}
