import { ActionIcon } from '@mantine/core';
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';

/**
 * The buttons that move and remove an item of an {@link ItemList}.
 * @param name names the item in the middle of a sentence, such as `line 2`
 */
export function ItemButtons({
  name,
  isFirst,
  isLast,
  onMove,
  onRemove,
}: {
  name: string;
  isFirst: boolean;
  isLast: boolean;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}) {
  const move = (by: 1 | -1, button: HTMLButtonElement) => {
    onMove(by);
    // A button that is moved or disabled loses the focus. So focus the button again or, if it is
    // disabled, the other button.
    requestAnimationFrame(() => {
      const other = button.parentElement?.querySelector<HTMLButtonElement>('button:enabled');
      (button.disabled ? other : button)?.focus();
    });
  };
  return (
    <>
      <ActionIcon
        variant="default"
        aria-label={`Move ${name} up`}
        disabled={isFirst}
        onClick={(event) => move(-1, event.currentTarget)}
      >
        <ArrowUp size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={`Move ${name} down`}
        disabled={isLast}
        onClick={(event) => move(1, event.currentTarget)}
      >
        <ArrowDown size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={`Remove ${name}`} onClick={onRemove}>
        <Trash2 size={14} aria-hidden />
      </ActionIcon>
    </>
  );
}
