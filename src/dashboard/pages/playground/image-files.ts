/** Picture formats that models read. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/** Base64 takes four characters for three bytes. */
const inBase64 = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** Room for the text and the rest of the conversation. */
const shareForPictures = 0.75;

/** How many bytes the pictures of one message may have together, as files. */
export const maxPictureBytes = (maxBodyBytes: number): number =>
  Math.floor((maxBodyBytes * shareForPictures * 3) / 4);

/** Which files can be attached beside what is attached already (in characters). */
export function chooseFiles<File extends { readonly type: string; readonly size: number }>(
  files: readonly File[],
  attached: number,
  maxBodyBytes: number,
): { readonly taken: readonly File[]; readonly refused: 'none' | 'type' | 'size' } {
  const taken: File[] = [];
  let refused: 'none' | 'type' | 'size' = 'none';
  let size = attached;
  for (const file of files) {
    if (!pictureTypes.some((type) => type === file.type)) refused = 'type';
    else if (size + inBase64(file.size) > maxBodyBytes * shareForPictures) refused = 'size';
    else {
      size += inBase64(file.size);
      taken.push(file);
    }
  }
  return { taken, refused };
}
