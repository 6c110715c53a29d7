import { Select as LibrarySelect, type SelectProps } from '@mantine/core';
import { useReducer } from 'react';

/**
 * Returns a function for `onDropdownOpen` that renders the field again once its list is part of the
 * page. Otherwise the field would not tell screen readers that the list is open, and which it is.
 */
export function useNamedList(): () => void {
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);
  return () => requestAnimationFrame(() => setTimeout(drawAgain));
}

/** A field with a list of choices. It needs `onDropdownOpen` for itself. */
export function Select(props: Omit<SelectProps, 'onDropdownOpen'>) {
  const nameList = useNamedList();
  return <LibrarySelect {...props} onDropdownOpen={nameList} />;
}
