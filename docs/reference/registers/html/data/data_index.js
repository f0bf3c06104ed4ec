var N_RAL_FILES = 1;
var N_RAL_NODES_PER_FILE = 16384;
var RootNodeIds = [0,76,96,128,218,289];
var PageInfo = {"title":"Sluice registers"};
