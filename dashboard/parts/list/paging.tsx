import { Button, Group } from '@mantine/core';
import { useRef } from 'react';
import { useUrl, useUrlSearch } from '../url/use-url';

/**
 * The buttons Next and Previous. The API returns a cursor only for the next page, so this component
 * remembers the cursors of previous pages. If a link has opened the current page, Previous leads to
 * the first page.
 * @param next cursor of the next page; null on the last page
 */
export function Paging({ next }: { next: string | null }) {
  const { cursor } = useUrlSearch();
  const { setSearch } = useUrl();
  const before = useRef<(string | undefined)[]>([]);
  if (!cursor && !next) return null;
  const goBack = () => setSearch({ cursor: before.current.pop() });
  const goOn = () => {
    before.current.push(cursor);
    setSearch({ cursor: next ?? undefined });
  };
  return (
    <Group component="nav" aria-label="Pages" gap="xs">
      <Button variant="default" size="xs" disabled={!cursor} onClick={goBack}>
        {cursor && before.current.length === 0 ? 'First page' : 'Previous'}
      </Button>
      <Button variant="default" size="xs" disabled={!next} onClick={goOn}>
        Next
      </Button>
    </Group>
  );
}
