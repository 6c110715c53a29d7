import { QueryClient } from '@tanstack/react-query';
import { Problem } from './problem';

/** Reads are kept while the stream of events says when they change; see ./live. */
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
