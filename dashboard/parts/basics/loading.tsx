import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';

/**
 * Grey rows that stand for data that is still loading. They appear only if loading takes noticeable
 * time.
 */
export function Loading({ label = 'Loading', rows = 6 }: { label?: string; rows?: number }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!isSlow) return null;
  return (
    <Stack gap="xs" role="status">
      <VisuallyHidden>{label}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <Skeleton key={row} height={28} />
      ))}
    </Stack>
  );
}
