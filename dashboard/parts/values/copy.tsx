import { Button } from '@mantine/core';
import { Check, Copy, X } from 'lucide-react';
import { useState } from 'react';

/**
 * Copies a text. On pages without TLS, browsers offer no clipboard, so this function selects a
 * hidden copy of the text. The hidden copy is beside `near`, because a dialog would take the focus
 * away from any other place.
 */
export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text, near.parentElement ?? document.body);
  }
}

function copySelection(text: string, parent: HTMLElement): boolean {
  const holder = document.createElement('pre');
  holder.textContent = text;
  holder.className = 'copy-holder';
  parent.append(holder);
  const selection = window.getSelection();
  const range = document.createRange();
  range.selectNodeContents(holder);
  selection?.removeAllRanges();
  selection?.addRange(range);
  const isCopied = document.execCommand('copy');
  holder.remove();
  return isCopied;
}

/**
 * A button that copies a text, and then shows whether this succeeded.
 * @param label names the text, such as "curl"; the button's text is "Copy" followed by the label
 */
export function CopyButton({ text, label = '' }: { text: string; label?: string }) {
  const [result, setResult] = useState<'copied' | 'failed'>();
  const copy = async (near: HTMLElement) => {
    setResult((await copyText(text, near)) ? 'copied' : 'failed');
    setTimeout(() => setResult(undefined), 2000);
  };
  const Icon = result === 'copied' ? Check : result === 'failed' ? X : Copy;
  const words = { copied: 'Copied', failed: 'Select and copy it by hand' };
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon size={14} aria-hidden />}
      onClick={(event) => void copy(event.currentTarget)}
    >
      <span aria-live="polite">{result ? words[result] : `Copy ${label}`.trim()}</span>
    </Button>
  );
}
