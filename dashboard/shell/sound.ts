import { useSyncExternalStore } from 'react';

const NAME = 'alert-sound';
const FREQUENCY_HZ = 880;
const SECONDS = 0.18;
const listeners = new Set<() => void>();

/** False until the person switches the sound on in this browser. */
export function isSoundOn(): boolean {
  return localStorage.getItem(NAME) === 'on';
}

export function setSound(isOn: boolean): void {
  if (isOn) localStorage.setItem(NAME, 'on');
  else localStorage.removeItem(NAME);
  for (const listener of listeners) listener();
}

export function useIsSoundOn(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isSoundOn);
}

/**
 * Plays a short tone. Does nothing before the person's first click, because browsers then refuse to
 * play sounds.
 */
export function beep(): void {
  if (!navigator.userActivation?.hasBeenActive) return;
  const context = new AudioContext();
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  const end = context.currentTime + SECONDS;
  tone.frequency.value = FREQUENCY_HZ;
  volume.gain.setValueAtTime(0.15, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, end);
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(end);
  tone.onended = () => void context.close();
}
