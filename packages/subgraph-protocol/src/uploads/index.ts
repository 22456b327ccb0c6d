export { type ArrivingFile, type ArrivingFiles, type UploadProblem } from './arriving-files.ts';
export { maxUploadBytes, readUpload, type ReceivedUpload, type UploadBounds } from './read-upload.ts';
export { placeFiles } from './upload-map.ts';
