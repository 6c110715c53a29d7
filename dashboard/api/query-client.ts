import { QueryClient } from '@tanstack/react-query';
import { Problem } from './problem';

/**
 * A read counts as fresh for half a minute, because the event stream reports changes; see ./live.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) => error instanceof Problem && error.isPassing && count < 3,
      retryDelay: (count, error) =>
        Math.max(error instanceof Problem ? error.retryAfterMs : 0, 500 * 2 ** count),
    },
  },
});
