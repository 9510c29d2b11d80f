const thumb =
  'M7 21H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1h3m0 11V10m0 11h9.6a2 2 0 0 0 2-1.7l1.3-8A2 2 0 0 0 17.9 9H14l.7-3.7A2.2 2.2 0 0 0 12.6 2.6L7 10';

const paths = {
  good: thumb,
  bad: thumb,
  picture:
    'M4 4h16a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Zm-1 13 5-5 4 4 3-3 6 6M15.5 8.5h.01',
};

/** A drawing in the colour of the text; what it means stands on its button. */
export const Icon = ({ name }: { name: keyof typeof paths }) => (
  <svg
    width="1em"
    height="1em"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={2}
    strokeLinecap="round"
    strokeLinejoin="round"
    transform={name === 'bad' ? 'rotate(180)' : undefined}
    aria-hidden
  >
    <path d={paths[name]} />
  </svg>
);
