/** The search of a link to the list of devices, which then says how to change many of them. */
export const WITH_GUIDE = { guide: 'change' }
