import { Box } from '@mantine/core';
import type { ReactNode } from 'react';

interface ScrollRegionProps {
  /** What it shows; readers without a mouse reach it to scroll. */
  label: string;
  /** Above this height, in px, it scrolls. */
  maxHeight?: number;
  children: ReactNode;
}

/** Scrolls what is too wide or too high for its place, also by the keyboard. */
export const ScrollRegion = ({ label, maxHeight, children }: ScrollRegionProps) => (
  <Box
    className="scroll-region"
    tabIndex={0}
    role="region"
    aria-label={label}
    {...(maxHeight === undefined ? {} : { mah: maxHeight })}
  >
    {children}
  </Box>
);
