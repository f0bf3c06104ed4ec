var N_RAL_FILES = 1;
var N_RAL_NODES_PER_FILE = 16384;
var RootNodeIds = [0,54,131,152,185,276,348,377];
var PageInfo = {"title":"Sluice registers"};
