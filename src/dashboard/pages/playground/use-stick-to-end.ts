import { type RefObject, useEffect, useRef } from 'react';

/** How near its end the page counts as being at it. In px. */
const nearEnd = 160;

/**
 * Keeps the end of the page in sight while it grows, unless its reader has scrolled up.
 * @returns of an element at the end
 */
export function useStickToEnd(content: unknown): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = (): void => {
      const { scrollHeight, clientHeight } = document.documentElement;
      isAtEnd.current = scrollHeight - clientHeight - window.scrollY < nearEnd;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: 'end' });
  }, [content]);
  return end;
}
